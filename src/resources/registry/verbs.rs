//! The operations by the names the convention gives them, for library users.

use super::{Operation, Plan, Registry};
use crate::resources::error::Error;
use crate::resources::model::{Resource, ResourceId};

impl Registry {
    /// Puts `child` under `parent`.
    ///
    /// # Errors
    /// In this order: [`Error::ResourceNotFound`] (the parent, then the child), [`Error::TypeNotFound`],
    /// [`Error::TypeIncompatible`], [`Error::CycleDetected`], [`Error::DuplicateLink`].
    pub fn link_child(&mut self, parent: &ResourceId, child: &ResourceId) -> Result<Plan, Error> {
        self.carry_out(&Operation::Link(parent.clone(), child.clone()))
    }

    /// Takes `child` from under `parent`; both stay. The plan's notes say when the next discovery brings it back.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`], [`Error::LinkNotFound`].
    pub fn unlink_child(&mut self, parent: &ResourceId, child: &ResourceId) -> Result<Plan, Error> {
        self.carry_out(&Operation::Unlink(parent.clone(), child.clone()))
    }

    /// Adds a resource and gives it.
    ///
    /// # Errors
    /// [`Error::TypeNotFound`], [`Error::DuplicateName`], [`Error::Invalid`] for a name that breaks the rules, and where
    /// there is a parent what [`Registry::link_child`] says.
    pub fn add(&mut self, new: super::NewResource) -> Result<Resource, Error> {
        let plan = self.carry_out(&Operation::Add(new))?;
        let added = plan.resources().next().cloned();
        added.ok_or_else(|| Error::Invalid("nothing was added".to_owned()))
    }
}
