//! Reading and writing settings: `virtual[:PRESET][,key=value...]`.

use std::fmt;
use std::str::FromStr;

use crate::pattern::{Fault, Piece, SpecError, closest, parse_or_propose, without};

use super::NAME;
use super::key::{KEYS, Key};
use super::preset::{PRESETS, Preset};
use super::settings::Settings;

/// The key that a name right after the colon stands for.
const PRESET: &str = "preset";

impl FromStr for Settings {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse_or_propose(text, parse, |settings, _| settings.to_string())
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = self.preset.map_or_else(Self::default, Preset::settings);
        let preset = self.preset.map(|preset| preset.name.to_owned());
        let differing = KEYS.iter().filter_map(|key| {
            let value = (key.get)(self)?;
            (Some(&value) != (key.get)(&usual).as_ref()).then(|| match value.is_empty() {
                true => key.name.to_owned(),
                false => format!("{}={value}", key.name),
            })
        });
        let parts: Vec<String> = preset.into_iter().chain(differing).collect();
        let colon = if parts.is_empty() { "" } else { ":" };
        f.pad(&format!("{NAME}{colon}{}", parts.join(",")))
    }
}

/// A key and its value as typed.
struct Typed<'a> {
    key: &'static Key,
    value: Piece<'a>,
}

fn parse(text: &str) -> Result<Settings, Fault> {
    let text = Piece::new(text);
    let (name, list) = match text.split_once(':') {
        Some((name, list)) => (name, Some(list)),
        None => (text, None),
    };
    if name.text != NAME {
        return Err(name.fault(format!("'{NAME}'"), NAME));
    }
    let (mut preset, mut typed): (_, Vec<Typed<'_>>) = (None, Vec::new());
    for (place, part) in list
        .into_iter()
        .flat_map(|list| list.split(','))
        .enumerate()
    {
        let named = preset_of(part, place == 0)?;
        if named.is_some() && preset.is_some() {
            return Err(without(part, "one preset"));
        }
        preset = preset.or(named);
        if named.is_none() {
            let known = key_of(part, place == 0)?;
            if typed
                .iter()
                .any(|earlier| earlier.key.name == known.key.name)
            {
                return Err(without(part, "each key only once"));
            }
            typed.push(known);
        }
    }
    let mut settings = preset.map_or_else(Settings::default, Preset::settings);
    for Typed { key, value, .. } in &typed {
        (key.set)(&mut settings, value.text).ok_or_else(|| {
            let expected = format!(
                "a value of {} such as {}: {}",
                key.name, key.example, key.meaning
            );
            value.fault(expected, key.example)
        })?;
    }
    fit_blocks(&mut settings, &typed)?;
    Ok(settings)
}

/// The preset that `part` names, by the key or, where it is the first, by itself.
fn preset_of(part: Piece<'_>, is_first: bool) -> Result<Option<&'static Preset>, Fault> {
    let name = match part.split_once('=') {
        Some((key, name)) if key.text == PRESET => name,
        None if is_first && Preset::named(part.text).is_some() => part,
        _ => return Ok(None),
    };
    let names = || PRESETS.iter().map(|preset| preset.name);
    let unknown = || {
        let all: Vec<&str> = names().collect();
        let expected = format!("a preset ({})", all.join(", "));
        name.fault(expected, closest(name.text, names()))
    };
    Preset::named(name.text).map(Some).ok_or_else(unknown)
}

/// The key and the value of `part`; a key whose value may be empty needs no `=`.
fn key_of(part: Piece<'_>, may_be_preset: bool) -> Result<Typed<'_>, Fault> {
    let (name, value) = match part.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (part, None),
    };
    let nothing = part.part(part.text.len()..part.text.len());
    let takes_nothing = |key: &Key| (key.set)(&mut Settings::default(), "").is_some();
    match (KEYS.iter().find(|key| key.name == name.text), value) {
        (Some(key), Some(value)) => Ok(Typed { key, value }),
        (Some(key), None) if takes_nothing(key) => Ok(Typed {
            key,
            value: nothing,
        }),
        (Some(key), None) => {
            let added = format!("={}", key.example);
            Err(part.missing("'=' and a value", added))
        }
        (None, value) => Err(unknown_key(name, may_be_preset && value.is_none())),
    }
}

/// The fault of a word that is no key; nor a preset, where it `may_be_preset`.
fn unknown_key(name: Piece<'_>, may_be_preset: bool) -> Fault {
    let mut words: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    words.push(PRESET);
    let keys = words.join(", ");
    if !may_be_preset {
        let nearest = closest(name.text, words);
        return name.fault(format!("a key ({keys})"), nearest);
    }
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let expected = format!("a preset ({}) or a key ({keys})", presets.join(", "));
    name.fault(
        expected,
        closest(name.text, presets.into_iter().chain(words)),
    )
}

/// Makes sectors, granules and lines that nobody typed fit the others, and refuses those that were typed and do not.
fn fit_blocks(settings: &mut Settings, typed: &[Typed<'_>]) -> Result<(), Fault> {
    let of_key = |name: &str| typed.iter().find(|typed| typed.key.name == name);
    let memory = &mut settings.memory;
    let (sector, granule, line) = (of_key("sector"), of_key("granule"), of_key("line"));
    if granule.is_none() {
        let least = sector.map_or(memory.granule, |_| memory.granule.max(memory.sector));
        memory.granule = line.map_or(least, |_| least.min(memory.line));
    }
    if sector.is_none() {
        memory.sector = memory.sector.min(memory.granule);
    }
    if line.is_none() {
        memory.line = memory.line.max(memory.granule);
    }
    let ordered = [
        (sector, memory.sector, granule.or(line), memory.granule),
        (granule, memory.granule, line, memory.line),
    ];
    for (smaller, least, larger, size) in ordered {
        if let (true, Some(at)) = (least > size, larger.or(smaller)) {
            let expected =
                format!("{least} or more, since sector, granule and line hold each other");
            return Err(at.value.fault(expected, least.to_string()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::units::Bytes;

    fn parsed(text: &str) -> Settings {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn refusal(text: &str) -> String {
        text.parse::<Settings>().expect_err(text).to_string()
    }

    #[test]
    fn every_preset_is_valid_and_printed_by_its_name() {
        for preset in &PRESETS {
            let settings = preset.settings();
            assert_eq!(settings.to_string(), format!("virtual:{}", preset.name));
            assert_eq!(parsed(&settings.to_string()), settings);
            assert_eq!(parsed(&format!("virtual:preset={}", preset.name)), settings);
        }
    }

    #[test]
    fn every_example_is_a_value_and_none_is_usual() {
        for key in &KEYS {
            let text = format!("virtual:{}={}", key.name, key.example);
            let settings = parsed(&text);
            assert_eq!((key.get)(&settings).as_deref(), Some(key.example), "{text}");
        }
    }

    #[test]
    fn presets_give_what_is_not_typed_wherever_they_stand() {
        let settings = parsed("virtual:noise=7%,preset=apple,skip-loads");
        assert_eq!(settings.to_string(), "virtual:apple,noise=7%,skip-loads");
        assert_eq!(parsed("virtual").to_string(), "virtual");
        assert_eq!(parsed("virtual:noise=1%").to_string(), "virtual");
    }

    /// As typed it would match no case, since those print theirs.
    #[test]
    fn the_spec_of_a_fault_is_kept_as_cases_print_it() {
        for (typed, printed) in [
            ("refuse=stride:16B", "virtual:refuse=stride:4"),
            ("skip-loads=stride:04", "virtual:skip-loads=stride:4"),
            ("refuse=stride:6B", "virtual:refuse=stride:6B"),
            ("refuse=struct", "virtual:refuse=struct"),
            ("skip-loads=1%", "virtual:skip-loads=1%"),
        ] {
            let settings = parsed(&format!("virtual:{typed}"));
            assert_eq!(settings.to_string(), printed);
            assert_eq!(parsed(printed), settings);
        }
        // A comma ends the value, so that a spec takes no keys here.
        let told = refusal("virtual:refuse=stride:4,op=store");
        assert!(told.contains("expected a key"), "{told}");
    }

    #[test]
    fn blocks_that_nobody_typed_fit_those_that_were() {
        let sizes = |text| {
            let memory = parsed(text).memory;
            (memory.sector.0, memory.granule.0, memory.line.0)
        };
        assert_eq!(sizes("virtual"), (32, 64, 128));
        assert_eq!(sizes("virtual:granule=256B"), (32, 256, 256));
        assert_eq!(sizes("virtual:granule=16B"), (16, 16, 128));
        assert_eq!(sizes("virtual:sector=128B"), (128, 128, 128));
        assert_eq!(sizes("virtual:line=32B"), (32, 32, 32));
        assert_eq!(parsed("virtual:apple,line=64B").memory.sector, Bytes(64));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_what_could() {
        for (text, expected) in [
            (
                "virtul",
                "'virtul': expected 'virtual' at column 1; nearest valid: virtual",
            ),
            (
                "virtual:nose=3%",
                "at column 9; nearest valid: virtual:noise=3%",
            ),
            ("virtual:aple", "at column 9; nearest valid: virtual:apple"),
            (
                "virtual:preset=amd",
                "at column 16; nearest valid: virtual:amd-",
            ),
            (
                "virtual:granule=48B",
                "expected a value of granule such as 64B",
            ),
            (
                "virtual:noise=3",
                "at column 15; nearest valid: virtual:noise=3%",
            ),
            ("virtual:noise", "expected '=' and a value at column 14"),
            (
                "virtual:seed=1,seed=2",
                "expected each key only once at column 16; nearest valid: virtual",
            ),
            ("virtual:sector=64B,granule=32B", "expected 64B or more"),
            ("virtual:lost=0", "nearest valid: virtual:lost=100"),
            ("virtual:clock=fast", "good, none, zero"),
            (
                "virtual:skip-loads=strid",
                "nearest valid: virtual:skip-loads=stride",
            ),
            ("virtual:", "expected a preset (nvidia-data-centre"),
            ("virtual:noise=nan%", "expected a value of noise"),
        ] {
            let told = refusal(text);
            assert!(told.contains(expected), "{told}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_parsed_to_the_same(
            preset in 0..=PRESETS.len(),
            gb_per_s in 0.001_f64..100_000.0,
            noise in 0.0_f64..50.0,
            launch_ns in 0_u64..1_000_000,
            l2_bytes in 0_u64..(1 << 40),
            knee in proptest::option::of(1.0_f64..100.0),
            seed: u64,
            granule in 5_u32..12,
        ) {
            let preset = PRESETS.get(preset).map_or(String::new(), |preset| format!("{},", preset.name));
            let knee = knee.map_or("sharp".to_owned(), |knee| knee.to_string());
            let text = format!(
                "virtual:{preset}bandwidth={gb_per_s}GB/s,noise={noise}%,launch={launch_ns}ns,l2={l2_bytes}B,knee={knee},\
                 seed={seed},granule={}B", 1 << granule
            );
            let settings = parsed(&text);
            prop_assert_eq!(parsed(&settings.to_string()), settings);
        }
    }
}
