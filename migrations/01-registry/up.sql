CREATE TABLE resource_types(
  name TEXT PRIMARY KEY CHECK(name <> ''),
  spec_json TEXT NOT NULL,
  built_in INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE resources(
  resource_id TEXT PRIMARY KEY CHECK(length(resource_id) = 26),
  name TEXT UNIQUE,
  resource_type_name TEXT NOT NULL REFERENCES resource_types(name),
  location TEXT,
  description TEXT,
  properties_json TEXT,
  auto_discovered INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT;

-- by type: lists, and whether a type is in use
CREATE INDEX ix_resources_type ON resources(resource_type_name);

-- discovery asks for (type, location) once an entry
CREATE INDEX ix_resources_location ON resources(location) WHERE location IS NOT NULL;

CREATE TABLE resource_links(
  parent_id TEXT NOT NULL REFERENCES resources(resource_id) ON DELETE CASCADE,
  child_id TEXT NOT NULL REFERENCES resources(resource_id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY(parent_id, child_id),
  CHECK(parent_id <> child_id)
) STRICT, WITHOUT ROWID;

-- the search upward, the parents, the cascade
CREATE INDEX ix_links_child ON resource_links(child_id, parent_id);
