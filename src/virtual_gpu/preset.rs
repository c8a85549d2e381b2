//! Families of devices: models after published figures, not devices.

use super::settings::Settings;

/// A family, in the words of the grammar.
#[derive(Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, as typed after the colon.
    pub name: &'static str,
    /// What it is modelled after.
    pub meaning: &'static str,
    /// Its values, where they differ from the usual ones.
    pub keys: &'static str,
}

/// Every preset.
pub static PRESETS: [Preset; 8] = [
    Preset {
        name: "nvidia-data-centre",
        meaning: "after figures of a V100: 32 B sectors, 64 B fetched from HBM2 at 900 GB/s, 6 MiB of L2",
        keys: "issue=2800GB/s,l2-bandwidth=2150GB/s,memory=16GiB",
    },
    Preset {
        name: "nvidia-workstation",
        meaning: "after figures of GA102 cards: 32 B sectors fetched singly from GDDR6 at 768 GB/s, 6 MiB of L2",
        keys: "granule=32B,bandwidth=768GB/s,issue=2500GB/s,l2-bandwidth=2000GB/s,memory=24GiB",
    },
    Preset {
        name: "amd-rdna",
        meaning: "after figures of first-generation RDNA cards: 128 B lines, GDDR6 at 448 GB/s, 4 MiB of L2",
        keys: "sector=128B,granule=128B,line=128B,bandwidth=448GB/s,issue=1500GB/s,l2=4MiB,l2-bandwidth=1500GB/s",
    },
    Preset {
        name: "amd-cdna",
        meaning: "after figures of one die of MI200: 64 lanes, 64 B of 128 B lines, HBM2e at 1600 GB/s, 8 MiB of L2",
        keys: "lanes=64,sector=64B,bandwidth=1600GB/s,issue=3200GB/s,l2=8MiB,l2-bandwidth=3500GB/s,memory=64GiB",
    },
    Preset {
        name: "intel-integrated",
        meaning: "after figures of Gen9 graphics: 16 lanes, 64 B lines, DDR4 at 34 GB/s, 8 MiB of shared cache",
        keys: "lanes=16,sector=64B,line=64B,bandwidth=34GB/s,issue=60GB/s,l2=8MiB,l2-bandwidth=120GB/s,launch=10us",
    },
    Preset {
        name: "apple",
        meaning: "after figures of an M1: 128 B lines, LPDDR4X at 68 GB/s, 8 MiB of system-level cache",
        keys: "sector=128B,granule=128B,line=128B,bandwidth=68GB/s,issue=250GB/s,l2=8MiB,l2-bandwidth=250GB/s,launch=5us",
    },
    Preset {
        name: "arm-mobile",
        meaning: "after figures of Mali-G7x phones: 16 lanes, 64 B lines, LPDDR5 at 44 GB/s, 2 MiB of L2",
        keys: "lanes=16,sector=64B,line=64B,bandwidth=44GB/s,issue=60GB/s,l2=2MiB,l2-bandwidth=120GB/s,launch=20us,memory=4GiB",
    },
    Preset {
        name: "cpu-driver",
        meaning: "after runs of a software driver on two cores: 8 lanes, 64 B lines fetched in pairs always, so 128 B at once, 22 GB/s",
        keys: "lanes=8,sector=64B,line=64B,bandwidth=22GB/s,issue=5GB/s,l2=32MiB,l2-bandwidth=60GB/s,launch=50us,pairs=100%",
    },
];

impl Preset {
    /// The preset of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// What it stands for.
    pub fn settings(&'static self) -> Settings {
        Settings {
            preset: Some(self),
            ..format!("{}:{}", super::NAME, self.keys)
                .parse()
                // A constant of this file; a test parses each.
                .unwrap_or_else(|error| unreachable!("{error}"))
        }
    }
}
