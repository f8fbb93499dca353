import type { HandOptions } from '../../engine/dreaming/changing-dreams.js';
import { claimPassage } from '../../engine/dreaming/claim-passage.js';
import type { ClaimKey } from '../../engine/dreaming/claims/claim-words.js';
import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import {
  promoteClaim,
  rejectClaim,
  reopenClaim,
  undo,
} from '../../engine/dreaming/decide-by-hand.js';
import type { DreamTarget } from '../../engine/dreaming/dream-targets.js';
import { realWorkspaceDir } from '../../engine/dreaming/dream-workspace.js';
import { candidates } from '../../engine/dreaming/explain-claim.js';
import { candidateOutput, decisionOutput } from '../../engine/dreaming/output.js';
import { openSources } from '../../engine/dreaming/sweep/dream-sources.js';
import type { SecretMask } from '../../engine/secrets/mask/secret-mask.js';
import { formatCountOf } from '../../ui/format.js';
import type { CandidatesActions } from '../../ui/screens/candidates/run.js';
import type { Decided } from '../../ui/screens/candidates/state.js';
import type { Style } from '../../ui/style.js';
import { reportError } from '../report-error.js';
import { claimToDecide } from './claim-to-decide.js';

/** Lines read around a claim, so that the passage can fill a tall terminal. */
const MARGIN = 60;

/** How the screen of candidates is opened. */
export interface ShownCandidatesOptions {
  readonly style: Style;
  readonly hand: HandOptions;
  readonly mask: SecretMask;
}

/** Lets the person browse, promote and reject; says in a line what was decided. */
export async function shownCandidates(
  target: DreamTarget,
  { style, hand, mask }: ShownCandidatesOptions,
): Promise<string> {
  const { runCandidatesScreen } = await import('../../ui/screens/candidates/run.js');
  const { stdin, stdout } = process;
  const decided = await runCandidatesScreen({
    stdin,
    stdout,
    style,
    title: target.agents.join(', '),
    actions: actionsOn(target, hand, mask),
    signal: hand.signal,
  });
  return summaryOf(decided);
}

function actionsOn(target: DreamTarget, hand: HandOptions, mask: SecretMask): CandidatesActions {
  const { signal, clock } = hand;
  const keyOf = async (text: string): Promise<ClaimKey> =>
    (await claimToDecide(target, text, signal)).key;
  return {
    load: async () => {
      const found = await withCurrentDreams(target, signal, (dreams) =>
        dreams === undefined ? [] : candidates(dreams.entries, target.settings, clock.now()),
      );
      return found.map((claim) => mask.data({ ...candidateOutput(claim), gates: claim.gates }));
    },
    passage: async (key) => {
      const entry = await claimToDecide(target, key, signal);
      const sources = await openSources(realWorkspaceDir(target.workspace), target.reach);
      return mask.data(claimPassage(entry, sources, MARGIN));
    },
    promote: async (key) => {
      const { decision, sweep } = await promoteClaim(target, await keyOf(key), hand);
      const { decision: name, why } = decisionOutput(decision);
      const id = sweep.memory.state === 'untouched' ? null : sweep.id;
      return { decision: name, ...(why === undefined ? {} : { why }), sweep: id };
    },
    reject: async (key) => rejectClaim(target, await keyOf(key), hand),
    takeBack: async (decided) => {
      const key = await keyOf(decided.key);
      if (decided.kind === 'rejected') {
        await reopenClaim(target, key, hand);
        return 'no longer rejected';
      }
      const { kept } = await undo(target, decided.sweep, hand);
      if (kept.some(({ why }) => why === 'edited')) {
        return 'kept: somebody edited the entry in MEMORY.md since';
      }
      // Taken back by its own hand: it is a candidate as before.
      await reopenClaim(target, key, hand);
      return 'taken back from MEMORY.md';
    },
    explain: (error) => {
      const { message, hint } = reportError(error, mask);
      return hint === undefined ? message : `${message}; ${hint}`;
    },
  };
}

function summaryOf(decided: readonly Decided[]): string {
  const count = (kind: Decided['kind']): number =>
    decided.filter((one) => one.kind === kind).length;
  if (decided.length === 0) return 'nothing was decided';
  return `${formatCountOf(count('promoted'), 'claim')} promoted, ${count('rejected')} rejected`;
}
