import type { Clock } from '../engine/context.js';
import type { Flows } from '../engine/flows/index.js';
import { flowEntryOutput, taskOutput } from '../engine/flows/output.js';
import type { FlowFilter } from '../engine/flows/store/flow-rows.js';
import type { TaskFilter } from '../engine/flows/store/task-rows.js';
import { flowRow, taskRow } from '../ui/flows/rows.js';
import type { FollowedList } from './shown-flows-watch.js';

/** Flows as a list that can be followed. */
export function followedFlows(
  { operator }: Pick<Flows, 'operator'>,
  filter: FlowFilter,
  clock: Clock,
): FollowedList {
  const read = () => {
    const { entries, total } = operator.listFlows(filter);
    const now = clock.now();
    const shown = entries.map((entry) => {
      return { row: flowRow(entry, now), json: flowEntryOutput(entry) };
    });
    return { entries: shown, total };
  };
  return { kind: 'flows', read };
}

/** Tasks as a list that can be followed. */
export function followedTasks(
  { operator }: Pick<Flows, 'operator'>,
  filter: TaskFilter,
  clock: Clock,
): FollowedList {
  const read = () => {
    const { entries, total } = operator.listTasks(filter);
    const now = clock.now();
    const shown = entries.map((task) => ({ row: taskRow(task, now), json: taskOutput(task) }));
    return { entries: shown, total };
  };
  return { kind: 'tasks', read };
}
