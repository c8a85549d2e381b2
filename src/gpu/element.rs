//! WGSL for the element of an array: what WGSL cannot take as a parameter, generated for a width or a struct.

use std::fmt::Write as _;

use crate::executor::contents::STORED_FACTOR;

/// How an element of an array is declared, and what of it a lane accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// Bytes of the array element: a word, a vector, or a struct.
    pub(super) unit_bytes: u64,
    /// First byte of it that is accessed.
    pub(super) field_bytes: u64,
    /// Bytes that are accessed: the field's, or the whole struct's.
    pub(super) access_bytes: u64,
    /// Bytes of a field.
    pub(super) element_bytes: u64,
}

impl Element {
    /// `Element`, the array's element; `Accessed`, what a lane accesses of it; and the functions on it that kernels use.
    ///
    /// - `fold`: the sum of its words.
    /// - `plus`: its words, each with `params.addend` added.
    /// - `spread(v)`: what a store gives it whose first word gets `v`.
    /// - `copied(i)`: what a copy gives it that read the contents of array element `i`.
    /// - `matching(a, b)`: how many of their words are equal.
    pub(super) fn declarations(&self) -> String {
        let (first_word, unit_words) = (self.field_bytes / 4, self.unit_bytes / 4);
        let words = self.words();
        let sum = |term: &dyn Fn(&str) -> String| {
            words
                .iter()
                .map(|word| term(word))
                .collect::<Vec<_>>()
                .join(" + ")
        };
        let fold = sum(&|word| format!("e{word}"));
        let plus = self.construct(&|_, word| format!("e{word} + params.addend"));
        let spread = self.construct(&|k, _| match k {
            0 => "v".to_owned(),
            _ => format!("v + {}u", STORED_FACTOR.wrapping_mul(k)),
        });
        let copied = self.construct(&|k, _| format!("word(first + {k}u) + params.addend"));
        let matching = sum(&|word| format!("select(0u, 1u, a{word} == b{word})"));
        let mut wgsl = self.types();
        // Writing to a String cannot fail.
        let _ = write!(
            wgsl,
            "
fn fold(e: Accessed) -> u32 {{
    return {fold};
}}

fn plus(e: Accessed) -> Accessed {{
    return {plus};
}}

fn spread(v: u32) -> Accessed {{
    return {spread};
}}

fn copied(i: u32) -> Accessed {{
    let first = params.first_word + i * {unit_words}u + {first_word}u;
    return {copied};
}}

fn matching(a: Accessed, b: Accessed) -> u32 {{
    return {matching};
}}

// What a store gives the first word that is accessed of array element `i`.
fn stored_value(i: u32) -> u32 {{
    return params.addend + params.first_word * {factor}u + {origin}u + i * {step}u;
}}
",
            factor = STORED_FACTOR,
            origin = STORED_FACTOR.wrapping_mul(first_word as u32),
            step = STORED_FACTOR.wrapping_mul(unit_words as u32),
        );
        wgsl
    }

    /// The place of array element `index` in the array `name`, as far as a lane accesses it.
    pub(super) fn place(&self, name: &str, index: &str) -> String {
        match self.is_field() {
            true => format!("{name}[{index}].accessed"),
            false => format!("{name}[{index}]"),
        }
    }

    fn is_field(&self) -> bool {
        self.access_bytes < self.unit_bytes
    }

    /// Whether all fields of a struct are accessed.
    fn is_whole_struct(&self) -> bool {
        self.access_bytes > self.element_bytes
    }

    fn scalar_or_vector(&self) -> &'static str {
        match self.element_bytes {
            4 => "u32",
            8 => "vec2<u32>",
            _ => "vec4<u32>",
        }
    }

    fn types(&self) -> String {
        let field = self.scalar_or_vector();
        if !self.is_field() && !self.is_whole_struct() {
            return format!("alias Accessed = {field};\nalias Element = Accessed;\n");
        }
        let mut wgsl = match self.is_whole_struct() {
            true => "alias Accessed = Element;\n\nstruct Element {\n".to_owned(),
            false => format!("alias Accessed = {field};\n\nstruct Element {{\n"),
        };
        for (name, kind) in self.members() {
            let _ = writeln!(wgsl, "    {name}: {kind},");
        }
        wgsl + "}\n"
    }

    /// Members of the struct: name and type. What lies around an accessed field is an array of words, since a struct has
    /// room for a thousand members or so.
    fn members(&self) -> Vec<(String, String)> {
        let field = self.scalar_or_vector();
        if self.is_whole_struct() {
            let begins = (0..self.unit_bytes).step_by(self.element_bytes as usize);
            return begins
                .map(|at| (format!("at_byte_{at}"), field.to_owned()))
                .collect();
        }
        let end = self.field_bytes + self.access_bytes;
        let filler = |begin: u64, end: u64| {
            let words = (end - begin) / 4;
            (words > 0).then(|| (format!("at_byte_{begin}"), format!("array<u32, {words}>")))
        };
        let accessed = ("accessed".to_owned(), field.to_owned());
        let around = [
            filler(0, self.field_bytes),
            Some(accessed),
            filler(end, self.unit_bytes),
        ];
        around.into_iter().flatten().collect()
    }

    /// How each word of what is accessed is reached from it.
    fn words(&self) -> Vec<String> {
        let components: &[&str] = match self.element_bytes {
            4 => &[""],
            8 => &[".x", ".y"],
            _ => &[".x", ".y", ".z", ".w"],
        };
        let of = |prefix: String| {
            components
                .iter()
                .map(move |component| format!("{prefix}{component}"))
        };
        match self.is_whole_struct() {
            true => self
                .members()
                .into_iter()
                .flat_map(|(name, _)| of(format!(".{name}")))
                .collect(),
            false => of(String::new()).collect(),
        }
    }

    /// What is accessed, made of an expression for each word: of its number and of how it is reached.
    fn construct(&self, expression: &dyn Fn(u32, &str) -> String) -> String {
        let words = self.words();
        let expressions: Vec<String> = (0..)
            .zip(&words)
            .map(|(number, word)| expression(number, word))
            .collect();
        let per_field = (self.element_bytes / 4) as usize;
        let fields: Vec<String> = expressions
            .chunks(per_field)
            .map(|words| match words {
                [word] => word.clone(),
                words => format!("{}({})", self.scalar_or_vector(), words.join(", ")),
            })
            .collect();
        match self.is_whole_struct() {
            true => format!("Element({})", fields.join(", ")),
            false => fields.concat(),
        }
    }
}
