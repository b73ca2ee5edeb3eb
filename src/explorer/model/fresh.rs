//! Rows that have just changed: those that came or look different after a part was read again, marked for a moment so
//! that what other programs do is seen. Only what is on screen is compared and marked, whatever the size behind it.

use std::collections::HashMap;

use super::entry::Entry;
use super::outline::{Fold, NodeId, Outline};
use super::{Effect, Model, PaneId};

/// How many rows are marked at once. More come only where the marks wait for a key, and then the old ones go.
const MOST: usize = 1_000;

/// How far around its place on the screen a row is looked for before it is looked for everywhere.
const NEAR: usize = 200;

/// The rows of each pane that have just changed, by key, each with the batch in which it did.
#[derive(Clone, Debug, Default)]
pub struct Fresh {
    rows: [HashMap<u64, u64>; 4],
    batch: u64,
}

impl Fresh {
    fn add(&mut self, pane: PaneId, keys: Vec<u64>) {
        self.batch += 1;
        if self.rows.iter().map(HashMap::len).sum::<usize>() + keys.len() > MOST {
            self.clear();
        }
        self.rows[pane as usize].extend(keys.into_iter().map(|key| (key, self.batch)));
    }

    /// Takes the marks of all batches up to this one away.
    pub(super) fn fade(&mut self, batch: u64) {
        for rows in &mut self.rows {
            rows.retain(|_, made| *made > batch);
        }
    }

    /// Takes all marks away.
    pub(super) fn clear(&mut self) {
        self.rows = Default::default();
    }
}

impl Model {
    /// Whether a row has just changed.
    pub fn is_fresh(&self, pane: PaneId, row: NodeId) -> bool {
        let rows = &self.fresh.rows[pane as usize];
        !rows.is_empty() && rows.contains_key(&self.pane(pane).outline.node(row).key)
    }

    /// Marks what on the screen of a pane is not as it was in the outline that its own has replaced.
    pub(super) fn mark_fresh(&mut self, id: PaneId, old: &Outline) {
        let height = self.layout().panes[id as usize].map_or(0, |area| usize::from(area.height));
        let outline = &mut self.pane_mut(id).outline;
        outline.settle(height);
        let keys = changed(old, outline, height);
        if keys.is_empty() {
            return;
        }
        self.fresh.add(id, keys);
        if self.motion {
            self.effects.push(Effect::Fade(self.fresh.batch));
        }
    }
}

/// The keys of the rows on a screen of `height` rows that an older outline did not have, or had otherwise.
fn changed(old: &Outline, new: &Outline, height: usize) -> Vec<u64> {
    let (mut shown, window) = new.window(height);
    shown.extend_from_slice(&new.rows()[window]);
    let above = |&id: &NodeId| new.parent(id).map(|above| new.node(above).key);
    let mut before: HashMap<u64, Option<NodeId>> = shown.iter().map(|&id| (new.node(id).key, None)).collect();
    let near = old.offset().saturating_sub(NEAR)..(old.offset() + height + NEAR).min(old.rows().len());
    for &id in &old.rows()[near] {
        if let Some(found) = before.get_mut(&old.node(id).key) {
            *found = Some(id);
        }
    }
    if before.values().any(Option::is_none) {
        // not where it was, or not there: one look at all old rows for all that are on screen and what is above them
        before.extend(shown.iter().filter_map(above).map(|key| (key, None)));
        for (id, node) in old.nodes() {
            if let Some(found) = before.get_mut(&node.key) {
                *found = Some(id);
            }
        }
    }
    let known = |key: u64| before.get(&key).copied().flatten().map(|id| old.node(id));
    let news = |id: &NodeId| {
        let node = new.node(*id);
        match (known(node.key), above(id)) {
            (Some(before), _) => !alike(&before.entry, &node.entry),
            (None, None) => true,
            // below a row that had not been read everything is new to us, not to the world
            (None, Some(above)) => {
                known(above).is_some_and(|above| !matches!(above.fold, Fold::Unread | Fold::Reading))
            }
        }
    };
    shown.iter().filter(|id| news(id)).map(|&id| new.node(id).key).collect()
}

/// Whether two rows of a thing say the same of it. Which of its rows came first may differ from reading to reading.
fn alike(one: &Entry, other: &Entry) -> bool {
    (one.mark, one.parents, &one.name, &one.note) == (other.mark, other.parents, &other.name, &other.note)
}

#[cfg(test)]
mod tests {
    use super::super::entry::{Mark, Subject};
    use super::*;

    fn outline(rows: &[(&str, Mark)], fold: Fold) -> Outline {
        let mut outline = Outline::default();
        let top = outline.add(None, Entry::new(Subject::Group("top".into()), Mark::None, "top", ""), Fold::Leaf);
        for (name, mark) in rows {
            outline.add(Some(top), Entry::new(Subject::Group((*name).into()), *mark, *name, ""), Fold::Leaf);
        }
        outline.set_fold(top, fold);
        outline.show();
        outline
    }

    fn names(old: &Outline, new: &Outline, height: usize) -> Vec<String> {
        let keys = changed(old, new, height);
        let of = new.nodes().filter(|(_, node)| keys.contains(&node.key));
        of.map(|(_, node)| node.entry.name.to_string()).collect()
    }

    #[test]
    fn what_came_and_what_changed_its_state_is_news_and_nothing_else() {
        let old = outline(&[("a", Mark::Owed), ("b", Mark::Owed), ("gone", Mark::Owed)], Fold::Open);
        let new = outline(&[("a", Mark::Documented), ("b", Mark::Owed), ("c", Mark::Owed)], Fold::Open);
        assert_eq!(names(&old, &new, 20), ["a", "c"]);
        assert_eq!(names(&new, &new, 20), [""; 0]);
    }

    #[test]
    fn what_is_read_for_the_first_time_is_no_news() {
        let old = outline(&[], Fold::Unread);
        let new = outline(&[("a", Mark::Owed)], Fold::Open);
        assert_eq!(names(&old, &new, 20), [""; 0]);
        let known = outline(&[], Fold::Closed);
        assert_eq!(names(&known, &new, 20), ["a"], "there was nothing below it");
    }

    #[test]
    fn of_a_hundred_thousand_changes_those_on_screen_are_marked() {
        let rows: Vec<String> = (0..100_000).map(|nth| nth.to_string()).collect();
        let all = |mark| outline(&rows.iter().map(|row| (row.as_str(), mark)).collect::<Vec<_>>(), Fold::Open);
        let (old, mut new) = (all(Mark::Owed), all(Mark::Documented));
        assert_eq!(changed(&old, &new, 40).len(), 39, "all but the top row");
        // far from where the old one was looked at
        new.put(90_000);
        new.settle(40);
        assert_eq!(changed(&old, &new, 40).len(), 39, "all but the top row, which stays in sight");
    }

    #[test]
    fn marks_fade_batch_by_batch_and_never_pile_up() {
        let mut fresh = Fresh::default();
        fresh.add(PaneId::Resources, vec![1, 2]);
        fresh.add(PaneId::Resources, vec![2, 3]);
        fresh.fade(1);
        let mut left: Vec<u64> = fresh.rows[0].keys().copied().collect();
        left.sort_unstable();
        assert_eq!(left, [2, 3], "the second time counts");
        for batch in 0..100 {
            fresh.add(PaneId::Directories, (batch * 100..batch * 100 + 100).collect());
            assert!(fresh.rows.iter().map(HashMap::len).sum::<usize>() <= MOST);
        }
        fresh.fade(fresh.batch);
        assert!(fresh.rows.iter().all(HashMap::is_empty));
    }
}
