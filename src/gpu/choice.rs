//! Which of several adapters a run uses, and why; pure, so that any mixture of cards can be tested.

use std::collections::HashSet;

use crate::executor::{Adapter, AdapterKind};

/// The adapter chosen and the sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Index in the list.
    pub index: usize,
    /// Why this one.
    pub reason: String,
}

/// No adapter can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// Nothing was found.
    #[error("no adapter was found")]
    None,
    /// Only software adapters were found, and hardware is required.
    #[error("--require-hardware: only software adapters were found ({names})")]
    OnlySoftware {
        /// Their names.
        names: String,
    },
    /// The name or index fits none.
    #[error("no adapter is '{wanted}'; there are:\n{list}")]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// The adapters, a line each.
        list: String,
    },
    /// The name fits several.
    #[error("'{wanted}' fits more than one adapter; choose by index:\n{list}")]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The adapters that fit, a line each.
        list: String,
    },
}

/// Chooses among `adapters`: `wanted` by index or part of its name, otherwise the fastest kind, software last.
pub fn choose(
    adapters: &[Adapter],
    wanted: Option<&str>,
    require_hardware: bool,
) -> Result<Choice, ChoiceError> {
    let choice = match wanted {
        Some(wanted) => by_name(adapters, wanted)?,
        None => by_kind(adapters)?,
    };
    if require_hardware && adapters[choice.index].is_software() {
        let names: Vec<_> = adapters
            .iter()
            .map(|adapter| adapter.name.as_str())
            .collect();
        return Err(ChoiceError::OnlySoftware {
            names: names.join(", "),
        });
    }
    Ok(choice)
}

fn by_kind(adapters: &[Adapter]) -> Result<Choice, ChoiceError> {
    // The first of equals: the list has Vulkan, Metal and DX12 before GL.
    let (index, adapter) = adapters
        .iter()
        .enumerate()
        .min_by_key(|(_, adapter)| preference(adapter.kind))
        .ok_or(ChoiceError::None)?;
    let reason = match (adapters.len(), adapter.is_software()) {
        (1, false) => "the only adapter".to_owned(),
        (_, true) => "there is no hardware adapter".to_owned(),
        (_, false) => format!("the first of kind '{}', the fastest here", adapter.kind),
    };
    Ok(Choice { index, reason })
}

fn by_name(adapters: &[Adapter], wanted: &str) -> Result<Choice, ChoiceError> {
    let lowercase = wanted.to_lowercase();
    let fitting: Vec<usize> = match wanted.parse::<usize>() {
        Ok(index) if index < adapters.len() => vec![index],
        _ => (0..adapters.len())
            .filter(|&index| adapters[index].name.to_lowercase().contains(&lowercase))
            .collect(),
    };
    match fitting[..] {
        [index] => Ok(Choice {
            index,
            reason: format!("asked for as '{wanted}'"),
        }),
        [] => Err(ChoiceError::Unknown {
            wanted: wanted.to_owned(),
            list: lines(adapters, 0..adapters.len()),
        }),
        [first, ..] if is_one_card(adapters, &fitting) => Ok(Choice {
            index: first,
            reason: format!("asked for as '{wanted}', by the first of its APIs"),
        }),
        _ => Err(ChoiceError::Ambiguous {
            wanted: wanted.to_owned(),
            list: lines(adapters, fitting),
        }),
    }
}

/// Whether the adapters of `indexes` are one card behind several APIs: one name, and no API twice.
fn is_one_card(adapters: &[Adapter], indexes: &[usize]) -> bool {
    let all = || indexes.iter().map(|&index| &adapters[index]);
    let one_name = all().all(|adapter| adapter.name == adapters[indexes[0]].name);
    let backends: HashSet<&str> = all().map(|adapter| adapter.backend.as_str()).collect();
    one_name && backends.len() == indexes.len()
}

fn preference(kind: AdapterKind) -> u8 {
    match kind {
        AdapterKind::Discrete => 0,
        AdapterKind::Integrated => 1,
        AdapterKind::Virtual => 2,
        AdapterKind::Other => 3,
        AdapterKind::Simulated => 4,
        AdapterKind::Software => 5,
    }
}

fn lines(adapters: &[Adapter], indexes: impl IntoIterator<Item = usize>) -> String {
    let line = |index: usize| {
        let adapter = &adapters[index];
        format!(
            "  {index}: {} ({}, {})",
            adapter.name, adapter.kind, adapter.backend
        )
    };
    indexes.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Limits;

    fn adapter(name: &str, kind: AdapterKind, backend: &str) -> Adapter {
        Adapter {
            name: name.to_owned(),
            kind,
            backend: backend.to_owned(),
            driver: String::new(),
            vendor_id: 0,
            device_id: 0,
            pci_bus: String::new(),
            limits: Limits {
                storage_binding_bytes: 1 << 27,
                buffer_bytes: 1 << 28,
                workgroup_invocations: 256,
                workgroups_per_dimension: 65535,
            },
            timestamps: true,
            subgroups: true,
        }
    }

    fn laptop() -> Vec<Adapter> {
        vec![
            adapter("Intel UHD", AdapterKind::Integrated, "vulkan"),
            adapter("llvmpipe (LLVM 15)", AdapterKind::Software, "vulkan"),
            adapter("RTX 3060", AdapterKind::Discrete, "vulkan"),
            adapter("RTX 3060", AdapterKind::Discrete, "vulkan"),
        ]
    }

    #[test]
    fn the_fastest_kind_wins() {
        let index = choose(&laptop(), None, false).map(|choice| choice.index);
        assert_eq!(index, Ok(2));
    }

    #[test]
    fn hardware_through_gl_wins_over_software_through_vulkan() {
        let adapters = [
            adapter("llvmpipe", AdapterKind::Software, "vulkan"),
            adapter("Radeon HD", AdapterKind::Integrated, "gl"),
        ];
        let index = choose(&adapters, None, true).map(|choice| choice.index);
        assert_eq!(index, Ok(1));
    }

    #[test]
    fn an_index_tells_equal_cards_apart_and_a_name_does_not() {
        let index = choose(&laptop(), Some("3"), false).map(|choice| choice.index);
        assert_eq!(index, Ok(3));
        let by_name = choose(&laptop(), Some("rtx"), false);
        assert!(
            matches!(&by_name, Err(ChoiceError::Ambiguous { list, .. }) if list.contains("  3: RTX 3060"))
        );
    }

    #[test]
    fn one_card_behind_two_apis_is_no_ambiguity() {
        let adapters = [
            adapter("RTX 3060", AdapterKind::Discrete, "vulkan"),
            adapter("RTX 3060", AdapterKind::Discrete, "gl"),
        ];
        let index = choose(&adapters, Some("3060"), false).map(|choice| choice.index);
        assert_eq!(index, Ok(0));
    }

    #[test]
    fn software_alone_is_no_hardware() {
        let only = [adapter("llvmpipe", AdapterKind::Software, "vulkan")];
        assert!(choose(&only, None, false).is_ok());
        assert!(matches!(
            choose(&only, None, true),
            Err(ChoiceError::OnlySoftware { .. })
        ));
        assert!(matches!(
            choose(&laptop(), Some("llvm"), true),
            Err(ChoiceError::OnlySoftware { .. })
        ));
    }

    #[test]
    fn nothing_and_unknown_names_are_told_apart() {
        assert_eq!(choose(&[], None, false), Err(ChoiceError::None));
        assert!(matches!(
            choose(&laptop(), Some("9"), false),
            Err(ChoiceError::Unknown { .. })
        ));
    }
}
