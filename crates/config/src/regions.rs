//! In which regions of the world an event's shards stand, and which of them are near a visitor.
//!
//! The names are the platform's location hints, which count when an object is first asked and never again:
//! <https://developers.cloudflare.com/durable-objects/reference/data-location/#provide-a-location-hint>. Which shard is in
//! which region follows from its number ([`anteroom_queue::regions`]). A run keeps its list: with another one, its shards
//! would be looked for where they are not, at the price of a longer way.

use std::borrow::Cow;

use anteroom_queue::regions::region_of;
use anteroom_queue::units::ShardIndex;

use crate::fields::Fields;

/// A region that the platform can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The west of North America.
    Wnam,
    /// The east of North America.
    Enam,
    /// South America.
    Sam,
    /// The west of Europe.
    Weur,
    /// The east of Europe.
    Eeur,
    /// Asia and the Pacific.
    Apac,
    /// Oceania.
    Oc,
    /// Africa.
    Afr,
    /// The Middle East.
    Me,
}

use Region::{Afr, Apac, Eeur, Enam, Me, Oc, Sam, Weur, Wnam};

/// All of them.
const ALL: [Region; 9] = [Wnam, Enam, Sam, Weur, Eeur, Apac, Oc, Afr, Me];

/// What is allowed.
const FORM: &str =
    "\"wnam\", \"enam\", \"sam\", \"weur\", \"eeur\", \"apac\", \"oc\", \"afr\" or \"me\"";

impl Region {
    /// As the platform and configurations write it.
    pub const fn name(self) -> &'static str {
        match self {
            Wnam => "wnam",
            Enam => "enam",
            Sam => "sam",
            Weur => "weur",
            Eeur => "eeur",
            Apac => "apac",
            Oc => "oc",
            Afr => "afr",
            Me => "me",
        }
    }

    fn named(text: &str) -> Option<Self> {
        ALL.into_iter().find(|region| region.name() == text)
    }
}

/// The regions near a continent, as `request.cf` calls it: first those on it, then those whose networks are close to it.
/// Whoever comes from elsewhere, or from nobody knows where, is near none.
fn near(continent: &str) -> &'static [&'static [Region]] {
    match continent {
        "EU" => &[&[Weur, Eeur], &[Me, Enam], &[Afr, Wnam]],
        "NA" => &[&[Enam, Wnam], &[Weur, Sam], &[Eeur]],
        "SA" => &[&[Sam], &[Enam], &[Wnam, Weur]],
        "AS" => &[&[Apac], &[Me, Oc], &[Eeur, Wnam]],
        "AF" => &[&[Afr], &[Weur, Me], &[Eeur, Enam]],
        "OC" => &[&[Oc], &[Apac], &[Wnam]],
        _ => &[],
    }
}

/// Where the objects of an event stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    /// Of the shards; empty: wherever they are first asked from.
    pub shards: Vec<Region>,
    /// Those of them that are lost for good.
    pub lost: Vec<Region>,
    /// Of the coordinator and the relays; `None`: wherever they are first asked from.
    pub coordinator: Option<Region>,
}

impl Regions {
    /// The hint for a shard.
    pub fn of_shard(&self, shard: ShardIndex) -> Option<&'static str> {
        self.region(shard).map(Region::name)
    }

    /// The hint for the coordinator and for relays.
    pub fn of_coordinator(&self) -> Option<&'static str> {
        self.coordinator.map(Region::name)
    }

    /// Whether a shard went with its region.
    pub fn has_lost(&self, shard: ShardIndex) -> bool {
        self.region(shard)
            .is_some_and(|region| self.lost.contains(&region))
    }

    /// Of each of the shards' regions, whether it is lost.
    pub fn are_lost(&self) -> Vec<bool> {
        let regions = self.shards.iter();
        regions.map(|region| self.lost.contains(region)).collect()
    }

    /// Those of the open shards at which a visitor from that continent has the home: in the nearest regions that have one,
    /// or else anywhere. Lost ones are passed over while there are others.
    pub fn homes<'o>(
        &self,
        open: &'o [ShardIndex],
        continent: Option<&str>,
    ) -> Cow<'o, [ShardIndex]> {
        if self.shards.is_empty() {
            return Cow::Borrowed(open);
        }
        let kept = |wanted: &dyn Fn(Region) -> bool| -> Vec<ShardIndex> {
            let shards = open.iter().copied();
            shards
                .filter(|shard| self.region(*shard).is_none_or(wanted))
                .collect()
        };
        let is_there = |region: Region| !self.lost.contains(&region);
        let tiers = near(continent.unwrap_or_default()).iter();
        let found = tiers
            .map(|tier| kept(&|region| is_there(region) && tier.contains(&region)))
            .find(|homes| !homes.is_empty());
        let found = found.unwrap_or_else(|| kept(&is_there));
        match found.is_empty() {
            true => Cow::Borrowed(open),
            false => Cow::Owned(found),
        }
    }

    fn region(&self, shard: ShardIndex) -> Option<Region> {
        let at = region_of(shard, self.shards.len());
        self.shards.get(at).copied()
    }
}

/// Reads `regions`, `lost_regions` and `coordinator_region`.
pub fn read(fields: &mut Fields<'_>) -> Regions {
    let most = ALL.len();
    let shards = fields.list("regions", most, FORM, Region::named);
    let shards = shards.unwrap_or_default();
    let is_one = |text: &str| Region::named(text).filter(|region| shards.contains(region));
    let lost = fields.list("lost_regions", most, "one of regions", is_one);
    let lost = lost.unwrap_or_default();
    if !lost.is_empty() && lost.len() == shards.len() {
        fields.refuse("lost_regions", "not all of regions: nobody could join");
    }
    Regions {
        lost,
        coordinator: fields.text("coordinator_region", FORM, Region::named),
        shards,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn homes(regions: &Regions, open: &[u16], continent: &str) -> Vec<u16> {
        let open: Vec<ShardIndex> = open.iter().copied().map(ShardIndex).collect();
        let continent = (!continent.is_empty()).then_some(continent);
        let homes = regions.homes(&open, continent);
        homes.iter().map(|shard| shard.0).collect()
    }

    #[test]
    fn visitors_have_their_home_in_the_nearest_region_that_takes_joins() {
        let two = Regions {
            shards: vec![Weur, Enam],
            ..Regions::default()
        };
        let three = Regions {
            shards: vec![Weur, Eeur, Apac],
            ..Regions::default()
        };
        for (regions, open, continent, expected) in [
            (&two, &[0u16, 1, 2, 3][..], "EU", &[0u16, 2][..]),
            (&two, &[0, 1, 2, 3], "NA", &[1, 3]),
            (&two, &[0, 1, 2, 3], "SA", &[1, 3]),
            (&two, &[0, 1, 2, 3], "AF", &[0, 2]),
            (&two, &[0, 1, 2, 3], "AN", &[0, 1, 2, 3]),
            (&two, &[0, 1, 2, 3], "T1", &[0, 1, 2, 3]),
            (&two, &[0, 1, 2, 3], "", &[0, 1, 2, 3]),
            (&two, &[1, 3], "EU", &[1, 3]),
            (&two, &[49, 50, 129, 130], "EU", &[50, 129]),
            (&two, &[49, 50, 129, 130], "NA", &[49, 130]),
            (&three, &[0, 1, 2], "EU", &[0, 1]),
            (&three, &[0, 2], "EU", &[0]),
            (&three, &[0, 1, 2], "OC", &[2]),
            (&three, &[0, 1, 2], "NA", &[0]),
            (&Regions::default(), &[0, 1, 2], "EU", &[0, 1, 2]),
            (&two, &[], "EU", &[]),
        ] {
            assert_eq!(
                homes(regions, open, continent),
                expected,
                "{continent} of {open:?} in {:?}",
                regions.shards
            );
        }
    }

    #[test]
    fn a_lost_region_is_nobodys_home_while_there_is_another() {
        let regions = Regions {
            shards: vec![Weur, Enam],
            lost: vec![Weur],
            coordinator: None,
        };
        assert_eq!(homes(&regions, &[0, 1, 2, 3], "EU"), [1, 3]);
        assert_eq!(homes(&regions, &[0, 1, 2, 3], ""), [1, 3]);
        assert_eq!(homes(&regions, &[0, 2], "EU"), [0, 2]);
        assert_eq!(regions.are_lost(), [true, false]);
        assert!(regions.has_lost(ShardIndex(2)) && !regions.has_lost(ShardIndex(3)));
    }

    #[test]
    fn every_region_is_near_some_continent() {
        for region in ALL {
            let continents = ["EU", "NA", "SA", "AS", "AF", "OC"];
            let is_near =
                |continent: &&str| near(continent).iter().any(|tier| tier.contains(&region));
            assert!(continents.iter().any(is_near), "{region:?}");
            assert_eq!(Region::named(region.name()), Some(region));
        }
    }
}
