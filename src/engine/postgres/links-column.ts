/** The links of notes, as JSON: see note-links.ts. */
export const LINKS_COLUMN = `
ALTER TABLE svc.documents ADD COLUMN links text;
`;
