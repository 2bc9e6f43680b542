// The tables that hold entities, in the order in which writers reach them: an entity's row before its relations.

/** One row an entity. */
export const entityTables = ['companies', 'people', 'investors', 'events'] as const;

/** What entities have to do with each other. */
export const relationTables = [
  'roles',
  'person_companies',
  'event_people',
  'company_investors',
  'investor_portfolio',
] as const;
