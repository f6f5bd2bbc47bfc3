//! Networks that say something about who asks, by the number of their autonomous system: the platform tells it with each
//! request. Names as the regional registries have them (ARIN, RIPE NCC, APNIC, LACNIC, AFRINIC). The lists need not be
//! complete: they only move how much work is asked for.

use crate::challenges::NetworkKind;

/// Where machines are rented.
const DATA_CENTRES: [u32; 26] = [
    7203,    // Leaseweb USA
    8075,    // Microsoft
    8560,    // IONOS
    9009,    // M247
    12876,   // Scaleway
    14061,   // DigitalOcean
    14618,   // Amazon
    16276,   // OVH
    16509,   // Amazon
    20473,   // Vultr
    24940,   // Hetzner
    28753,   // Leaseweb Germany
    31898,   // Oracle
    36352,   // ColoCrossing
    37963,   // Alibaba
    40021,   // Contabo USA
    45090,   // Tencent
    45102,   // Alibaba
    47583,   // Hostinger
    51167,   // Contabo
    53667,   // FranTech
    60068,   // DataCamp
    60781,   // Leaseweb Netherlands
    63949,   // Akamai (Linode)
    132_203, // Tencent
    396_982, // Google Cloud
];

/// Where many phones share few addresses.
const CARRIERS: [u32; 24] = [
    1221,  // Telstra
    3209,  // Vodafone Germany
    3215,  // Orange
    3320,  // Deutsche Telekom
    3352,  // Telefónica Spain
    4766,  // Korea Telecom
    5410,  // Bouygues Telecom
    6167,  // Verizon Wireless
    6805,  // Telefónica Germany
    9605,  // NTT Docomo
    9644,  // SK Telecom
    9808,  // China Mobile
    12576, // EE
    15557, // SFR
    17676, // SoftBank
    20057, // AT&T Mobility
    21928, // T-Mobile USA
    22394, // Verizon Wireless
    24608, // Wind Tre
    25135, // Vodafone UK
    26599, // Vivo
    45609, // Bharti Airtel
    51207, // Free Mobile
    55836, // Reliance Jio
];

/// What kind of network has this number.
pub fn kind_of(autonomous_system: Option<u32>) -> NetworkKind {
    let is_in =
        |list: &[u32]| autonomous_system.is_some_and(|number| list.binary_search(&number).is_ok());
    if is_in(&DATA_CENTRES) {
        NetworkKind::DataCentre
    } else if is_in(&CARRIERS) {
        NetworkKind::Carrier
    } else {
        NetworkKind::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_found_by_their_number() {
        assert!(DATA_CENTRES.is_sorted() && CARRIERS.is_sorted());
        for number in DATA_CENTRES {
            assert_eq!(kind_of(Some(number)), NetworkKind::DataCentre, "{number}");
        }
        for number in CARRIERS {
            assert_eq!(kind_of(Some(number)), NetworkKind::Carrier, "{number}");
        }
        assert_eq!(kind_of(Some(1)), NetworkKind::Unknown);
        assert_eq!(kind_of(None), NetworkKind::Unknown);
    }
}
