/**
 * What hosts share of a memory besides its index, by agent id.
 *
 * `forgotten`: the entries of the forget list, as JSON without text. `key` identifies what an entry forgets, so that
 * one that a host had before is taken over once, and not again after it was undone. Until it is `cleaned`, the rows
 * of other hosts may still contain the text.
 *
 * `recalls`: the lines of the recall log, numbered without gaps in the order of their commits, so that each sweep can
 * continue where it stopped. `recall_logs.id` distinguishes a log from another one after a database was replaced.
 *
 * `leases`: work that only one host does at a time.
 */
export const SHARING_TABLES = `
CREATE TABLE svc.forgotten (
  agent text NOT NULL,
  key text NOT NULL,
  number int NOT NULL,
  entry text NOT NULL,
  undone boolean NOT NULL DEFAULT false,
  cleaned boolean NOT NULL DEFAULT false,
  PRIMARY KEY (agent, key),
  UNIQUE (agent, number)
);
CREATE TABLE svc.recall_logs (
  agent text PRIMARY KEY,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  last bigint NOT NULL DEFAULT 1
);
CREATE TABLE svc.recalls (
  agent text NOT NULL,
  number bigint NOT NULL,
  line text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent, number)
);
CREATE TABLE svc.leases (
  name text PRIMARY KEY,
  holder text NOT NULL,
  expires_at timestamptz NOT NULL
);
`;
