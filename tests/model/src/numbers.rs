//! What joins must look like from outside.

use stateright::semantics::SequentialSpec;

/// Entry numbers as one counter gives them out: what joins must look like, whatever the shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Numbers(u64);

impl SequentialSpec for Numbers {
    type Op = ();
    type Ret = u64;

    fn invoke(&mut self, (): &()) -> u64 {
        self.0 += 1;
        self.0 - 1
    }
}
