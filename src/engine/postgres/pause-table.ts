/** Runtimes whose tasks no worker can claim, on any host. */
export const PAUSE_TABLE = `
CREATE TABLE svc.pauses (
  runtime text PRIMARY KEY,
  reason text,
  paused_at bigint NOT NULL
);
`;
