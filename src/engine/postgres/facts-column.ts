/** What notes say about themselves, for filters: see note-facts.ts. */
export const FACTS_COLUMN = `
ALTER TABLE svc.documents ADD COLUMN facts text;
`;
