//! Starts the shop and its bank, says where, and stops when told to.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anteroom_demo_shop::bank::Bank;
use anteroom_demo_shop::event_paths::EventPaths;
use anteroom_demo_shop::random::unguessable;
use anteroom_demo_shop::seats::Seats;
use anteroom_demo_shop::serving::{PATIENCE, serve as serve_http};
use anteroom_demo_shop::settings::Settings;
use anteroom_demo_shop::shop::Shop;
use anteroom_demo_shop::till::Till;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    let settings = Settings::read(std::env::args().skip(1), |name| std::env::var(name).ok());
    let outcome = match settings {
        Ok(settings) => serve(settings).await,
        Err(problem) => Err(problem),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("demo shop: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: Settings) -> Result<(), String> {
    let shop_listener = listen(&settings.listen).await?;
    let bank_listener = listen(&settings.bank_listen).await?;
    let (shop_address, bank_address) = (address_of(&shop_listener)?, address_of(&bank_listener)?);
    // Another host name than the shop's, so that browsers see another site.
    let bank_pages = settings
        .bank_url
        .clone()
        .unwrap_or_else(|| format!("http://localhost:{}", bank_address.port()));
    let merchant_secret = unguessable();
    let bank = Bank::new(merchant_secret.clone());
    let seats = Seats::open(settings.database.as_deref())
        .map_err(|error| format!("the store does not open: {error}"))?;
    let mut paths = EventPaths::default();
    for event in &settings.events {
        paths.add(&event.id, &event.paths);
    }
    let shop = Arc::new(Shop {
        paths,
        admission: settings.admission()?,
        seats,
        till: Till::new(
            format!("http://{bank_address}"),
            bank_pages.clone(),
            merchant_secret,
        ),
        clock: Arc::new(unix_seconds),
        public_url: settings.public_url.clone(),
        titles: settings
            .events
            .iter()
            .map(|event| {
                (
                    event.id.clone(),
                    event.title.clone().unwrap_or_else(|| event.id.clone()),
                )
            })
            .collect(),
    });
    println!(
        "demo shop ready at http://{shop_address} (paying leads to its pretend bank at {bank_pages})"
    );
    tokio::select! {
        () = serve_http(shop_listener, shop.router(settings.test_endpoints), PATIENCE) => {}
        () = serve_http(bank_listener, bank.router(), PATIENCE) => {}
        () = told_to_stop() => {}
    }
    Ok(())
}

async fn listen(address: &str) -> Result<TcpListener, String> {
    TcpListener::bind(address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))
}

fn address_of(listener: &TcpListener) -> Result<SocketAddr, String> {
    listener.local_addr().map_err(|error| error.to_string())
}

fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock stands after 1970")
        .as_secs()
}

async fn told_to_stop() {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be heard");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
