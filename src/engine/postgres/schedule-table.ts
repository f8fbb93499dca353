/** Until when each schedule was run, by any host. Who runs one locks its row. */
export const SCHEDULE_TABLE = `
CREATE TABLE svc.schedules (
  id text COLLATE "C" PRIMARY KEY,
  rhythm text NOT NULL,
  handled_until bigint NOT NULL,
  ran_at bigint,
  scheduled_at bigint,
  flow_id text
);
`;
