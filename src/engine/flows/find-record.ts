import { SvcError } from '../errors/index.js';
import type { FlowRecord } from './flow-record.js';
import type { TaskRecord } from './task-record.js';
import type { Tables } from './work.js';

/** The flow of an id, or of the beginning of one that no other flow shares. */
export function findFlow({ flows }: Tables, idOrPrefix: string): FlowRecord | SvcError {
  const exact = flows.byId(idOrPrefix);
  if (exact !== undefined) return exact;
  const [found, second] = flows.byPrefix(idOrPrefix);
  if (found !== undefined && second === undefined) return found;
  const message =
    found === undefined
      ? `there is no flow ${idOrPrefix}`
      : `the ids of several flows begin with ${idOrPrefix}`;
  const hint =
    found === undefined
      ? 'svc flow list shows those there are'
      : 'give more of the id; svc flow list --json shows whole ones';
  return new SvcError('FLOW_NOT_FOUND', message, { hint });
}

/** The task of an id, or of the beginning of one that no other task shares. */
export function findTask({ tasks }: Tables, idOrPrefix: string): TaskRecord | SvcError {
  const exact = tasks.byId(idOrPrefix);
  if (exact !== undefined) return exact;
  const [found, second] = tasks.byPrefix(idOrPrefix);
  if (found !== undefined && second === undefined) return found;
  const message =
    found === undefined
      ? `there is no task ${idOrPrefix}`
      : `the ids of several tasks begin with ${idOrPrefix}`;
  const hint =
    found === undefined
      ? 'svc task list shows those there are'
      : 'give more of the id; svc task list --json shows whole ones';
  return new SvcError('TASK_NOT_FOUND', message, { hint });
}
