//! Why an item is selected, or why it is not, as JSON: `selection why --json` and what the explorer copies are this.

use serde_json::{Value, json};

use super::boundary::SelectedItem;
use super::graph::{Graph, ItemId};
use super::reasons::{Chain, Reasons, Step};
use super::select::Selection;

/// How many chains are told where nobody says how many.
pub const CHAINS: usize = 10;

/// Why an item is selected, by at most so many chains, or why it is not.
pub fn why(reasons: &Reasons<'_>, id: ItemId, most: usize) -> Value {
    let selection = reasons.selection();
    let item = boundary_item(selection, id);
    let mut fields = item.as_object().cloned().unwrap_or_default();
    if selection.is_selected(id) {
        let why = reasons.why(id, most);
        fields.insert("state".into(), json!("selected"));
        fields.insert(
            "chains".into(),
            json!(why.chains.iter().map(|chain| chain_json(selection.graph(), chain)).collect::<Vec<_>>()),
        );
        fields.insert("count".into(), json!(why.count.number));
        fields.insert("more_than".into(), json!(why.count.more));
    } else {
        fields.insert("state".into(), json!("absent"));
        fields.insert("reasons".into(), self::reasons(reasons, id));
    }
    let named: Vec<Value> =
        named_by(reasons, id).into_iter().map(|agent| item_json(selection.graph(), agent)).collect();
    fields.insert("named_by".into(), json!(named));
    Value::Object(fields)
}

fn boundary_item(selection: &Selection, item: ItemId) -> Value {
    json!(SelectedItem { selection, item })
}

fn item_json(graph: &Graph, id: ItemId) -> Value {
    let item = graph.item(id);
    json!({"package": graph.name(item.package), "kind": item.kind, "slug": item.slug})
}

/// The definitions that name an item, selected or not, without repeats.
pub fn named_by(reasons: &Reasons<'_>, id: ItemId) -> Vec<ItemId> {
    let graph = reasons.selection().graph();
    let mut agents: Vec<ItemId> = reasons.named_by(id).iter().map(|&reference| graph.referrer(reference)).collect();
    agents.dedup();
    agents
}

fn chain_json(graph: &Graph, chain: &Chain) -> Value {
    let steps = chain.steps.iter().map(|step| {
        let mut fields = match step {
            Step::Own => json!({"step": "own"}),
            Step::Line(entry) => {
                let line = &graph.entry(*entry).line;
                json!({"step": "line", "package": line.name, "filter": line.filter, "place": line.place})
            }
            Step::Manifest { package, place } => {
                json!({"step": "manifest", "package": graph.name(*package), "place": place})
            }
            Step::Item(item) => {
                let mut fields = item_json(graph, *item);
                fields["step"] = json!("item");
                fields
            }
            Step::Cycle { packages, items } => json!({
                "step": "cycle",
                "packages": packages.iter().map(|&package| graph.name(package)).collect::<Vec<_>>(),
                "items": items.iter().map(|&item| item_json(graph, item)).collect::<Vec<_>>(),
            }),
        };
        fields["text"] = json!(step.words(graph));
        fields
    });
    json!({"steps": steps.collect::<Vec<_>>()})
}

/// The reasons of an absent item.
pub fn reasons(reasons: &Reasons<'_>, id: ItemId) -> Value {
    let graph = reasons.selection().graph();
    let all = reasons.why_not(id);
    let told = all.iter().map(|reason| {
        let mut fields = json!({"reason": reason.code(), "place": reason.place(graph), "text": reason.words(graph)});
        if let Some(place) = reason.filter_place(graph) {
            fields["filter_place"] = json!(place);
        }
        fields
    });
    told.collect()
}
