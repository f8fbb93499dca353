import { fromJsonText } from '../../flows/json.js';
import type { TaskJob } from '../job.js';

/** What an agent is asked: the task in its own words, then what is known around it. */
export function promptFor({ task, flow }: TaskJob): string {
  if (flow === undefined) return task.task;
  const context = {
    goal: flow.goal,
    ...(flow.currentStep ? { currentStep: flow.currentStep } : {}),
    ...(flow.stateJson === null ? {} : { state: fromJsonText(flow.stateJson) }),
    ...(task.error ? { lastAttempt: task.error } : {}),
  };
  return `${task.task}\n\nContext, as JSON:\n${JSON.stringify(context, undefined, 2)}`;
}
