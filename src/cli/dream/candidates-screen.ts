import {
  type ClaimKey,
  candidateOutput,
  claimPassage,
  type DreamTarget,
  decisionOutput,
  type ManualChangeOptions,
  nextCandidates,
  openSources,
  promoteClaim,
  setClaimFate,
  undoSweep,
} from '../../engine/dreaming/index.js';
import type { SecretMask } from '../../engine/masking/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import type { CandidatesActions } from '../../ui/screens/candidates/run.js';
import type { UndoableDecision } from '../../ui/screens/candidates/view.js';
import type { CommandContext } from '../command-context.js';
import { failureWords } from '../report-error.js';
import { screenOptions } from '../terminal.js';
import { claimToDecide } from './dream-command.js';

/** Lines read around a claim, so that the passage can fill a tall terminal. */
const MARGIN = 60;

/** Opens the screen to browse, promote and reject; returns a one-line summary of the decisions. */
export async function showCandidates(
  target: DreamTarget,
  options: ManualChangeOptions,
  { terminal, mask }: CommandContext,
): Promise<string> {
  const { runCandidatesScreen } = await import('../../ui/screens/candidates/run.js');
  const decided = await runCandidatesScreen({
    ...screenOptions(terminal),
    title: target.agents.join(', '),
    actions: actionsOn(target, options, mask),
    signal: options.signal,
  });
  return summaryOf(decided);
}

function actionsOn(
  target: DreamTarget,
  options: ManualChangeOptions,
  mask: SecretMask,
): CandidatesActions {
  const { signal, clock } = options;
  const keyOf = async (text: string): Promise<ClaimKey> =>
    (await claimToDecide(target, text, signal)).key;
  return {
    load: async () => {
      const found = await nextCandidates(target, { nowMs: clock.now(), signal });
      return found.map((claim) => mask.data({ ...candidateOutput(claim), gates: claim.gates }));
    },
    passage: async (key) => {
      const entry = await claimToDecide(target, key, signal);
      const sources = await openSources(target);
      return mask.data(claimPassage(entry, sources, MARGIN));
    },
    promote: async (key) => {
      const { decision, sweep } = await promoteClaim(target, await keyOf(key), options);
      const { decision: name, why } = decisionOutput(decision);
      const id = sweep.memoryState === null ? null : sweep.id;
      return { decision: name, ...(why !== undefined && { why }), sweep: id };
    },
    reject: async (key) => {
      await setClaimFate(target, await keyOf(key), 'rejected', options);
    },
    undo: async (decided) => {
      const key = await keyOf(decided.key);
      if (decided.kind === 'rejected') {
        await setClaimFate(target, key, 'open', options);
        return { isUndone: true, words: 'no longer rejected' };
      }
      const { kept } = await undoSweep(target, decided.sweep, options);
      if (kept.some(({ why }) => why === 'edited')) {
        const words = 'not undone: the entry in MEMORY.md was edited since';
        return { isUndone: false, words };
      }
      // The person undid their own promotion: the claim is a candidate again, not rejected.
      await setClaimFate(target, key, 'open', options);
      return { isUndone: true, words: 'removed from MEMORY.md' };
    },
    explain: (error) => failureWords(error, mask),
  };
}

function summaryOf(decided: readonly UndoableDecision[]): string {
  const count = (kind: UndoableDecision['kind']): number =>
    decided.filter((one) => one.kind === kind).length;
  if (decided.length === 0) return 'no decisions made';
  return `${formatCountOf(count('promoted'), 'claim')} promoted, ${count('rejected')} rejected`;
}
