import { statSync } from 'node:fs';
import { SvcError } from '../../errors/index.js';
import { closing } from '../../support/async.js';
import {
  DeliveryFile,
  type DeliveryFilter,
  deliveriesFile,
  deliveryNotFound,
  withReadError,
} from './delivery-file.js';
import type { Delivery, DeliveryDetails } from './delivery-record.js';

/** How many recent deliveries a screen gets without asking. */
const MOST_RECENT = 100;

/**
 * Reads the record of deliveries while any process writes it. The file may appear, be set aside and be replaced in the
 * meantime.
 */
export class DeliveryReader {
  private readonly path: string;
  private file: DeliveryFile | undefined;
  private inode = 0;
  /** Of the record when {@link newest} was read. */
  private newestVersion = '';
  /** What {@link listNew} has returned. */
  private lastListed:
    | { readonly inode: number; readonly version: string; readonly seq: number }
    | undefined;
  private newest: readonly Delivery[] = [];

  constructor(stateDir: string) {
    this.path = deliveriesFile(stateDir);
  }

  /** The newest first. @throws SvcError DELIVERIES_UNUSABLE */
  list(filter: DeliveryFilter): readonly Delivery[] {
    return this.read((file) => file.list(filter)) ?? [];
  }

  /** How many there are without the limit. @throws SvcError DELIVERIES_UNUSABLE */
  count(filter: DeliveryFilter): number {
    return this.read((file) => file.count(filter)) ?? 0;
  }

  /** @throws SvcError DELIVERY_NOT_FOUND, DELIVERIES_UNUSABLE */
  find(idOrPrefix: string): DeliveryDetails {
    const found = this.read((file) => file.find(idOrPrefix));
    if (found === undefined) throw deliveryNotFound(idOrPrefix);
    return found;
  }

  /** Differs whenever something was recorded in between. Cheap. @throws SvcError DELIVERIES_UNUSABLE */
  version(): string {
    const changes = this.read((file) => file.version()) ?? 0;
    return `${this.inode}:${changes}`;
  }

  /**
   * What was recorded since the last call with the same conditions, the newest first; the first call returns the
   * newest of all. Cheap if nothing was. @throws SvcError DELIVERIES_UNUSABLE
   */
  listNew(filter: Omit<DeliveryFilter, 'afterSeq'>): readonly Delivery[] {
    const version = this.version();
    const { inode, lastListed } = this;
    if (version === lastListed?.version) return [];
    // What replaced a damaged record numbers its deliveries from 1 again.
    const afterSeq = inode === lastListed?.inode ? lastListed.seq : 0;
    const found = this.list({ ...filter, afterSeq });
    const seq = Math.max(afterSeq, ...found.map((delivery) => delivery.seq));
    this.lastListed = { inode, version, seq };
    return found;
  }

  /** The newest deliveries; as they were last if the record cannot be read now. */
  recent(): readonly Delivery[] {
    try {
      const version = this.version();
      if (version === this.newestVersion) return this.newest;
      this.newest = this.list({ limit: MOST_RECENT });
      this.newestVersion = version;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
    return this.newest;
  }

  close(): void {
    this.file?.close();
    this.file = undefined;
  }

  private read<T>(use: (file: DeliveryFile) => T): T | undefined {
    const { ino = 0 } = statSync(this.path, { throwIfNoEntry: false }) ?? {};
    if (ino !== this.inode) this.close();
    this.file ??= DeliveryFile.openExisting(this.path);
    this.inode = ino;
    const { file } = this;
    return file === undefined ? undefined : withReadError(this.path, () => use(file));
  }
}

/** A recorded delivery. @throws SvcError DELIVERY_NOT_FOUND, DELIVERIES_UNUSABLE */
export function findDelivery(idOrPrefix: string, stateDir: string): DeliveryDetails {
  using reader = closing(new DeliveryReader(stateDir));
  return reader.find(idOrPrefix);
}
