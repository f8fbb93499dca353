/** The route that created a flow, notifications for several targets, and indexes for metrics. */
export const TARGET_TABLES = `
ALTER TABLE svc.flows ADD COLUMN route_id text;
ALTER TABLE svc.notifications ADD COLUMN target text NOT NULL DEFAULT 'default';
ALTER TABLE svc.notifications ALTER COLUMN target DROP DEFAULT;
ALTER TABLE svc.notifications ADD COLUMN retries bigint NOT NULL DEFAULT 0;
ALTER TABLE svc.notifications ALTER COLUMN retries DROP DEFAULT;
ALTER TABLE svc.notifications DROP CONSTRAINT notifications_id_key;
ALTER TABLE svc.notifications ADD UNIQUE (id, target);
DROP INDEX svc.notifications_due;
CREATE INDEX notifications_due ON svc.notifications (target, next_attempt_at, seq)
  WHERE next_attempt_at IS NOT NULL;
DROP INDEX svc.notifications_failed;
CREATE INDEX notifications_failed ON svc.notifications (flow_id) WHERE outcome = 'failed';
CREATE INDEX tasks_ended ON svc.tasks (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX tasks_running ON svc.tasks (runtime) WHERE status = 'running';
`;
