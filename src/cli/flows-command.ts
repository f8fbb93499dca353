import { loadConfig } from '../engine/config/index.js';
import { SvcError } from '../engine/errors/index.js';
import { type Flows, type LeaseRefusal, openFlows } from '../engine/flows/index.js';
import { BaseCommand } from './base-command.js';

/** What commands that work on flows share: open them, close them at the end. */
export abstract class FlowsCommand<Result extends object> extends BaseCommand<Result> {
  private opened: Flows | undefined;

  /** The flows of the state folder. */
  protected async openFlows(flags: { readonly config?: string | undefined }): Promise<Flows> {
    const context = this.context();
    const { resolved, warnings } = await loadConfig(context, { configFile: flags.config });
    for (const warning of warnings) this.addWarning(warning);
    this.opened = openFlows(context, resolved);
    return this.opened;
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    await this.opened?.close();
  }
}

/** The error for a worker whose report was not taken. */
export function leaseError(refusal: LeaseRefusal, taskId: string): SvcError {
  switch (refusal.code) {
    case 'not_found':
      return new SvcError('TASK_NOT_FOUND', `there is no task ${taskId}`, {
        hint: 'svc task claim says the id; an old task may have been pruned',
      });
    case 'ended':
      return new SvcError('TASK_ENDED', `task ${taskId} is ${refusal.task.status} already`, {
        hint: 'stop working on it',
      });
    case 'lease_lost':
      return new SvcError('TASK_LEASE_LOST', `task ${taskId} is not held with this lease token`, {
        hint: 'if it was yours, it was taken back because nothing was heard: stop working on it',
      });
  }
}
