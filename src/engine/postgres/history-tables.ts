/**
 * What happened to flows, by flow. `n` starts far above the numbers that flows.sqlite gives, which are kept when they
 * are copied. Of changes before there was this table, the records show only some.
 */
export const HISTORY_TABLES = `
CREATE SEQUENCE svc.history_n START WITH 1000000000;
CREATE TABLE svc.history (
  flow_seq bigint NOT NULL,
  n bigint NOT NULL,
  at bigint NOT NULL,
  actor_kind text NOT NULL,
  actor_name text,
  event text NOT NULL,
  task_id text,
  from_status text,
  to_status text,
  revision bigint,
  note text,
  PRIMARY KEY (flow_seq, n)
);
INSERT INTO svc.history (flow_seq, n, at, actor_kind, event, task_id, to_status)
SELECT flow_seq, row_number() OVER (PARTITION BY flow_seq ORDER BY at, place),
  at, 'unknown', event, task_id, to_status
FROM (
  SELECT seq AS flow_seq, created_at AS at, 1 AS place, 'flow.created' AS event,
    NULL AS task_id, CASE WHEN revision = 0 THEN status END AS to_status FROM svc.flows
  UNION ALL SELECT flow_seq, created_at, 2, 'task.queued', id, NULL FROM svc.tasks
  UNION ALL SELECT flow_seq, started_at, 3, 'task.started', id, 'running' FROM svc.tasks
    WHERE started_at IS NOT NULL
  UNION ALL SELECT flow_seq, ended_at, 4, 'task.ended', id, status FROM svc.tasks
    WHERE ended_at IS NOT NULL
  UNION ALL SELECT seq, updated_at, 5, CASE WHEN ended_at IS NULL
    THEN 'flow.changed' ELSE 'flow.ended' END, NULL, status FROM svc.flows WHERE revision > 0
) AS known
WHERE flow_seq IN (SELECT seq FROM svc.flows);
`;
