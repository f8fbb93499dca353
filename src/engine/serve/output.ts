import { iso } from '../support/time.js';
import { parseLogLine } from './log/log-record.js';
import type { LogsOutput, ServeOutput, ServiceOutput } from './output-schemas.js';
import type { ServeEnd } from './serve-process.js';
import type { ServiceSnapshot } from './service.js';

function serviceOutput(service: ServiceSnapshot): ServiceOutput {
  const { name, state, event, restarts, failure, sinceMs, eventMs, retryMs } = service;
  return {
    name,
    state,
    since: iso(sinceMs),
    event,
    eventAt: eventMs === null ? null : iso(eventMs),
    restarts,
    failure,
    retryAt: retryMs === null ? null : iso(retryMs),
  };
}

/** The JSON output of `svc serve`. */
export function serveOutput(end: ServeEnd): ServeOutput {
  return {
    reason: end.reason,
    startedAt: iso(end.startedMs),
    endedAt: iso(end.endedMs),
    drained: end.isDrained,
    services: end.services.map(serviceOutput),
  };
}

/** A line of `svc logs --json`; a line that is not a record becomes the message. */
export function logLineOutput(line: string): LogsOutput['lines'][number] {
  const record = parseLogLine(line);
  if (record === undefined) return { level: null, time: null, message: line, fields: {} };
  const { level, time, msg, fields } = record;
  return { level, time, message: msg, fields };
}
