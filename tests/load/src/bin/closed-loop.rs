//! `closed-loop`: as many requests as a server answers, by so many connections. The figures as one line of JSON; exit code
//! 2 when nothing could be run.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anteroom_load::address::is_loopback;
use anteroom_load::closed_loop::{Loop, Sent, run};
use anteroom_load::figures::print_figures;
use hyper::Method;

const USAGE: &str = "closed-loop --url http://HOST:PORT/PATH --connections N --seconds S [options]
  --method M       GET by default
  --requests FILE  what is sent, a line of JSON each: {\"headers\": {..}, \"body\": \"..\"}; by turns
  --once           each line is sent once
  --answers FILE   the bodies of the answers go there, a line each
The server is on this machine.";

fn main() -> ExitCode {
    print_figures(USAGE, measured)
}

fn measured(arguments: Vec<OsString>) -> Result<String, String> {
    let mut arguments = pico_args::Arguments::from_vec(arguments);
    let wrong = |error: pico_args::Error| format!("{error}\n{USAGE}");
    let url: String = arguments.value_from_str("--url").map_err(wrong)?;
    let (authority, path) = split(&url)?;
    let seconds: f64 = arguments.value_from_str("--seconds").map_err(wrong)?;
    let method: Option<Method> = arguments.opt_value_from_str("--method").map_err(wrong)?;
    let requests: Option<String> = arguments.opt_value_from_str("--requests").map_err(wrong)?;
    let answers_to: Option<String> = arguments.opt_value_from_str("--answers").map_err(wrong)?;
    let options = Loop {
        authority,
        path,
        method: method.unwrap_or(Method::GET),
        connections: arguments.value_from_str("--connections").map_err(wrong)?,
        duration: Duration::try_from_secs_f64(seconds)
            .map_err(|_| format!("--seconds: found {seconds}, allowed: above 0"))?,
        once: arguments.contains("--once"),
        keeps_answers: answers_to.is_some(),
    };
    if let Some(unknown) = arguments.finish().first() {
        return Err(format!(
            "{}: no such option\n{USAGE}",
            unknown.to_string_lossy()
        ));
    }
    let sent = requests.map_or(Ok(vec![Sent::default()]), |file| read(&file))?;
    let (figures, answers) = run(&options, &sent)?;
    if let Some(file) = answers_to {
        let mut text = answers.join(&b'\n');
        text.push(b'\n');
        std::fs::File::create(&file)
            .and_then(|mut to| to.write_all(&text))
            .map_err(|error| format!("--answers {file}: {error}"))?;
    }
    serde_json::to_string(&figures).map_err(|error| error.to_string())
}

fn split(url: &str) -> Result<(String, String), String> {
    let rest = url.strip_prefix("http://").unwrap_or_default();
    let at = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    if !is_loopback(authority) {
        let allowed = "http://HOST:PORT/PATH on this machine";
        return Err(format!("--url: found {url}, allowed: {allowed}"));
    }
    let path = if path.is_empty() { "/" } else { path };
    Ok((authority.to_owned(), path.to_owned()))
}

fn read(file: &str) -> Result<Vec<Sent>, String> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("--requests {file}: {error}"))?;
    text.lines()
        .enumerate()
        .map(|(number, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("--requests {file}: line {}: {error}", number + 1))
        })
        .collect()
}
