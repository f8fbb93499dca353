/**
 * Joins documents with their chunks, one range of ids after the other, which OFFSET forces: the planner expects a hundred
 * ranges for each document, and would compare every chunk with every document.
 */
export const JOIN_CHUNKS = `
  CROSS JOIN unnest(chunk_ids) AS ids
  CROSS JOIN LATERAL (
    SELECT * FROM svc.chunks
    WHERE chunks.memory = documents.memory AND chunks.id >= lower(ids) AND chunks.id < upper(ids) OFFSET 0
  ) AS chunks`;
