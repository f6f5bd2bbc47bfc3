//! What nobody may read before it is published is not in any debug output either.

use anteroom_queue::coordinator::Coordinator;
use anteroom_queue::coordinator::command::{CoordinatorCommand, Entropy};
use anteroom_queue::coordinator::rows::CoordinatorRow;
use anteroom_queue::draw::{Hash, SeedFields};
use anteroom_queue::settings::Limits;
use anteroom_queue::units::Millis;

use crate::stage::{NAME, START, Stage, settings};

const ENTROPY: [u8; 16] = [0xC5; 16];

/// How the bytes look when they are shown: in decimal, as a list.
fn shown(bytes: &[u8]) -> String {
    format!("{bytes:?}").trim_matches(['[', ']']).to_owned()
}

#[test]
fn neither_the_secret_of_a_draw_nor_what_it_is_made_of_is_shown() {
    let mut settings = settings(Limits::default());
    settings.lines[0].opens_at = Some(START.plus(Millis::from_minutes(1)));
    let made = Coordinator::new(NAME, settings.clone(), ENTROPY, START);
    let secret: Hash = made
        .rows
        .iter()
        .find_map(|row| match row {
            CoordinatorRow::Draw { draw, .. } => Some(draw.secret),
            _ => None,
        })
        .expect("a line that opens later has a draw");
    let report = Stage::new(settings.clone(), 1).report(0);
    let entropy = Entropy(ENTROPY);
    let commands = [
        CoordinatorCommand::Configure { settings, entropy },
        CoordinatorCommand::Sync { report, entropy },
    ];
    let mut coordinator = made.reply;
    let mut texts = vec![format!("{:?} {coordinator:?}", made.rows)];
    for command in commands {
        texts.push(format!("{command:?}"));
        let rows = coordinator.apply(command, START).rows;
        texts.push(format!("{rows:?} {coordinator:?}"));
    }
    let fields = SeedFields {
        event: "on-sale",
        run: 1,
        line: "general",
        entrants: 2,
        root: [1; 32],
        secret,
        randomness: None,
    };
    texts.push(format!("{fields:?}"));
    for text in texts {
        assert!(!text.contains(&shown(&secret)), "the secret is in {text}");
        assert!(!text.contains(&shown(&ENTROPY)), "entropy is in {text}");
    }
}
