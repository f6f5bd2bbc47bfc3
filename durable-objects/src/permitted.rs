//! Which commands of the core the outside may call a shard with.

use anteroom_queue::shard::command::ShardCommand;

/// Whether a visitor's call may carry this command; the others are the shell's own.
pub fn is_visitors(command: &ShardCommand) -> bool {
    match command {
        ShardCommand::Join { .. }
        | ShardCommand::Try { .. }
        | ShardCommand::Ask { .. }
        | ShardCommand::Claim { .. }
        | ShardCommand::ClaimFrom { .. }
        | ShardCommand::Leave { .. }
        | ShardCommand::Defer { .. }
        | ShardCommand::Reserve { .. }
        | ShardCommand::HolderFound { .. }
        | ShardCommand::OfferHandover { .. }
        | ShardCommand::TakeOver { .. }
        | ShardCommand::Renew { .. }
        | ShardCommand::RenewFrom { .. }
        | ShardCommand::Rechecked { .. }
        | ShardCommand::Release { .. }
        | ShardCommand::Extend { .. }
        | ShardCommand::Access { .. }
        | ShardCommand::Crawl { .. }
        | ShardCommand::CountCrawlers => true,
        ShardCommand::Look
        | ShardCommand::Synced { .. }
        | ShardCommand::Relayed { .. }
        | ShardCommand::Configure { .. }
        | ShardCommand::Wake => false,
    }
}
