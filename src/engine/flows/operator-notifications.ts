import { SvcError } from '../errors/index.js';
import { type NotificationRecord, notificationOutput } from '../flow-model/notification-record.js';
import type { FlowStore, FlowTx, Page } from './flow-store.js';
import { deliverAgain } from './outbox.js';
import type { NotificationFilters } from './store/notification-table.js';
import type { Tables } from './store/tables.js';
import { orThrow } from './task-store.js';

/** Rows per transaction, so that nobody waits long. */
const BATCH = 200;

/** What operators see of notifications, and how they retry those that were given up. */
export function operatorNotifications(store: FlowStore) {
  const isConfigured = ({ target }: NotificationRecord): boolean =>
    store.policy.targets.some(({ id }) => id === target);
  const findRetryable = async (tables: Tables, id: string, target: string | undefined) => {
    const found = await find(tables, id, target);
    if (found instanceof SvcError) return found;
    const { seq, outcome } = found;
    if (outcome === 'delivered') {
      return new SvcError('NOTIFICATION_DELIVERED', `notification ${seq} was delivered`, {
        hint: 'only one that is pending or has failed can be retried',
      });
    }
    return isConfigured(found) ? found : unknownTarget(found);
  };
  return {
    /** Newest first. */
    listNotifications: (filter: NotificationFilters): Promise<Page<NotificationRecord>> =>
      store.read(async ({ notifications }) => ({
        entries: await notifications.list(filter),
        total: await notifications.count(filter),
      })),
    /**
     * @param id a number, or the id of a notification
     * @param target needed where several targets have a notification
     * @throws SvcError NOTIFICATION_NOT_FOUND
     */
    showNotification: async (id: string, target?: string) =>
      orThrow(await store.read((tables) => find(tables, id, target))),
    /**
     * Delivers one that is pending or was given up now, with all of its attempts; a dry run only returns it.
     *
     * @throws SvcError NOTIFICATION_NOT_FOUND, NOTIFICATION_DELIVERED, NOTIFICATION_TARGET_UNKNOWN
     */
    retryNotification: async (
      id: string,
      {
        target,
        dryRun = false,
      }: { readonly target?: string | undefined; readonly dryRun?: boolean } = {},
    ) =>
      orThrow(
        dryRun
          ? await store.read((tables) => findRetryable(tables, id, target))
          : await store.write(async (tx) => {
              const found = await findRetryable(tx, id, target);
              if (found instanceof SvcError) return found;
              return (await deliverAgain(tx, found)) ?? notFound(id);
            }, 'anything'),
      ),
    /**
     * The same for all that were given up, oldest first.
     *
     * @returns what is retried, and how many are left because their target is not configured
     */
    retryFailed: async (filter: FailedFilter, { dryRun }: { readonly dryRun: boolean }) => {
      const retried: ReturnType<typeof notificationOutput>[] = [];
      let unknownTargets = 0;
      let afterSeq = 0;
      for (;;) {
        const failed = await store.read(({ notifications }) =>
          notifications.failedAfter(afterSeq, filter, BATCH),
        );
        const last = failed.at(-1);
        if (last === undefined) return { retried, unknownTargets };
        afterSeq = last.seq;
        const retryable = failed.filter(isConfigured);
        unknownTargets += failed.length - retryable.length;
        const restarted = dryRun
          ? retryable
          : await store.write((tx) => deliverAllAgain(tx, retryable), 'anything');
        retried.push(...restarted.map(notificationOutput));
      }
    },
  };
}

/** Which notifications to retry. */
export type FailedFilter = Omit<NotificationFilters, 'limit' | 'outcome'>;

/** Those that others have settled or retried meanwhile are left out. */
async function deliverAllAgain(
  tx: FlowTx,
  failed: readonly NotificationRecord[],
): Promise<readonly NotificationRecord[]> {
  const restarted: NotificationRecord[] = [];
  for (const notification of failed) {
    const started = await deliverAgain(tx, notification, 'failed');
    if (started !== undefined) restarted.push(started);
  }
  return restarted;
}

async function find(
  { notifications }: Tables,
  id: string,
  target: string | undefined,
): Promise<NotificationRecord | SvcError> {
  const all = /^\d{1,15}$/u.test(id)
    ? [await notifications.bySeq(Number(id))]
    : await notifications.ofEvent(id);
  const matching = all
    .filter((one) => one !== undefined)
    .filter((one) => target === undefined || one.target === target);
  const [found, second] = matching;
  if (found === undefined) return notFound(id);
  if (second === undefined) return found;
  const targets = matching.map((one) => one.target).join(', ');
  return new SvcError('NOTIFICATION_NOT_FOUND', `notification ${id} is for several targets`, {
    hint: `pass --target with one of: ${targets}`,
  });
}

function notFound(id: string): SvcError {
  return new SvcError('NOTIFICATION_NOT_FOUND', `notification ${id} not found`, {
    hint: 'run "svc notification list"; delivered ones are deleted after a day',
  });
}

function unknownTarget({ seq, target }: NotificationRecord): SvcError {
  return new SvcError(
    'NOTIFICATION_TARGET_UNKNOWN',
    `notification ${seq} is for the target ${target}, which is not configured`,
    { hint: 'add the target to flows.notify.targets again, then retry' },
  );
}
