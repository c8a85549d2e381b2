//! A lab hour on one machine: the worksheet with its questions, and how a filled one is marked.
