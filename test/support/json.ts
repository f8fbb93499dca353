import type * as z from 'zod/mini';
import {
  recallOutputSchema,
  recallSwitchOutputSchema,
} from '../../src/engine/active-memory/output-schemas.js';
import { doctorOutputSchema } from '../../src/engine/doctor/output-schemas.js';
import {
  dreamBackfillOutputSchema,
  dreamCandidatesOutputSchema,
  dreamExplainOutputSchema,
  dreamPromoteOutputSchema,
  dreamRejectOutputSchema,
  dreamSignalsOutputSchema,
} from '../../src/engine/dreaming/claim-output-schemas.js';
import {
  dreamListOutputSchema,
  dreamRunOutputSchema,
  dreamScheduleOutputSchema,
  dreamShowOutputSchema,
  dreamStatusOutputSchema,
  dreamSwitchOutputSchema,
  dreamUndoOutputSchema,
} from '../../src/engine/dreaming/output-schemas.js';
import {
  providerListOutputSchema,
  providerTestOutputSchema,
} from '../../src/engine/embeddings/output-schemas.js';
import { errorOutputSchema } from '../../src/engine/errors/output-schema.js';
import { evalDraftsOutputSchema, evalOutputSchema } from '../../src/engine/eval/output-schemas.js';
import {
  bulkOutputSchema,
  flowCancelOutputSchema,
  flowHistoryOutputSchema,
  flowListOutputSchema,
  flowOutputSchema,
  flowPruneOutputSchema,
  flowShowOutputSchema,
  notificationListOutputSchema,
  notificationRetryOutputSchema,
  notificationShowOutputSchema,
  taskClaimOutputSchema,
  taskHeartbeatOutputSchema,
  taskListOutputSchema,
  taskOutputSchema,
  taskShowOutputSchema,
} from '../../src/engine/flows/output-schemas.js';
import {
  integrateOutputSchema,
  integrationsOutputSchema,
} from '../../src/engine/integrate/output-schemas.js';
import { mcpOutputSchema } from '../../src/engine/mcp/output-schemas.js';
import {
  resetOutputSchema,
  statusOutputSchema,
} from '../../src/engine/memory/backends/output-schemas.js';
import {
  forgetListOutputSchema,
  forgetOutputSchema,
  forgetUndoOutputSchema,
} from '../../src/engine/memory/forget/output-schemas.js';
import { getOutputSchema } from '../../src/engine/memory/get/output-schemas.js';
import {
  indexOutputSchema,
  installDocumentsOutputSchema,
} from '../../src/engine/memory/output-schemas.js';
import { searchOutputSchema } from '../../src/engine/memory/search/output-schemas.js';
import {
  sessionListOutputSchema,
  sessionOutputSchema,
} from '../../src/engine/memory/sessions/output-schemas.js';
import {
  exportOutputSchema,
  importOutputSchema,
} from '../../src/engine/memory/transfer/output-schemas.js';
import { memoryAddOutputSchema } from '../../src/engine/notes/output-schemas.js';
import {
  bugReportOutputSchema,
  overallStatusOutputSchema,
  upgradeOutputSchema,
  versionOutputSchema,
} from '../../src/engine/overview/output-schemas.js';
import { installLocalOutputSchema } from '../../src/engine/providers/local/output-schemas.js';
import {
  loginOutputSchema,
  logoutOutputSchema,
} from '../../src/engine/providers/output-schemas.js';
import {
  scheduleListOutputSchema,
  scheduleRunOutputSchema,
} from '../../src/engine/schedules/output-schemas.js';
import { scopeTestOutputSchema } from '../../src/engine/scope/output-schemas.js';
import { secretsCheckOutputSchema } from '../../src/engine/secrets/output-schemas.js';
import {
  logsOutputSchema,
  serveOutputSchema,
  systemdOutputSchema,
} from '../../src/engine/serve/output-schemas.js';
import { storageCopyOutputSchema } from '../../src/engine/storage/output-schemas.js';
import {
  callOutputSchema,
  deliveriesOutputSchema,
  deliveryOutputSchema,
  mapOutputSchema,
  replayOutputSchema,
  rotateOutputSchema,
  routesOutputSchema,
  secretOutputSchema,
  triggerOutputSchema,
} from '../../src/engine/webhooks/output-schemas.js';
import type { SvcRun } from './run-svc.js';

/** Reads stdout as one JSON document of a shape; a failure shows the whole run. */
function read<S extends z.ZodMiniType>(schema: S, run: SvcRun): z.infer<S> {
  try {
    return schema.parse(JSON.parse(run.stdout));
  } catch (error) {
    throw new Error(
      `not the promised JSON: ${String(error)}\nexit ${run.code}\n${run.stdout}\n${run.stderr}`,
    );
  }
}

/** The documents of the commands, checked against their schemas. */
export const jsonOf = {
  search: (run: SvcRun) => read(searchOutputSchema, run),
  get: (run: SvcRun) => read(getOutputSchema, run),
  index: (run: SvcRun) => read(indexOutputSchema, run),
  status: (run: SvcRun) => read(statusOutputSchema, run),
  reset: (run: SvcRun) => read(resetOutputSchema, run),
  eval: (run: SvcRun) => read(evalOutputSchema, run),
  evalDrafts: (run: SvcRun) => read(evalDraftsOutputSchema, run),
  memoryAdd: (run: SvcRun) => read(memoryAddOutputSchema, run),
  forget: (run: SvcRun) => read(forgetOutputSchema, run),
  sessionList: (run: SvcRun) => read(sessionListOutputSchema, run),
  session: (run: SvcRun) => read(sessionOutputSchema, run),
  forgetList: (run: SvcRun) => read(forgetListOutputSchema, run),
  forgetUndo: (run: SvcRun) => read(forgetUndoOutputSchema, run),
  export: (run: SvcRun) => read(exportOutputSchema, run),
  import: (run: SvcRun) => read(importOutputSchema, run),
  scopeTest: (run: SvcRun) => read(scopeTestOutputSchema, run),
  recall: (run: SvcRun) => read(recallOutputSchema, run),
  recallSwitch: (run: SvcRun) => read(recallSwitchOutputSchema, run),
  mcp: (run: SvcRun) => read(mcpOutputSchema, run),
  installDocuments: (run: SvcRun) => read(installDocumentsOutputSchema, run),
  installLocal: (run: SvcRun) => read(installLocalOutputSchema, run),
  providerList: (run: SvcRun) => read(providerListOutputSchema, run),
  providerTest: (run: SvcRun) => read(providerTestOutputSchema, run),
  login: (run: SvcRun) => read(loginOutputSchema, run),
  logout: (run: SvcRun) => read(logoutOutputSchema, run),
  secretsCheck: (run: SvcRun) => read(secretsCheckOutputSchema, run),
  version: (run: SvcRun) => read(versionOutputSchema, run),
  overallStatus: (run: SvcRun) => read(overallStatusOutputSchema, run),
  upgrade: (run: SvcRun) => read(upgradeOutputSchema, run),
  bugReport: (run: SvcRun) => read(bugReportOutputSchema, run),
  doctor: (run: SvcRun) => read(doctorOutputSchema, run),
  serve: (run: SvcRun) => read(serveOutputSchema, run),
  systemd: (run: SvcRun) => read(systemdOutputSchema, run),
  logs: (run: SvcRun) => read(logsOutputSchema, run),
  webhookRoutes: (run: SvcRun) => read(routesOutputSchema, run),
  webhookCall: (run: SvcRun) => read(callOutputSchema, run),
  webhookSecret: (run: SvcRun) => read(secretOutputSchema, run),
  webhookTrigger: (run: SvcRun) => read(triggerOutputSchema, run),
  webhookDeliveries: (run: SvcRun) => read(deliveriesOutputSchema, run),
  webhookShow: (run: SvcRun) => read(deliveryOutputSchema, run),
  webhookReplay: (run: SvcRun) => read(replayOutputSchema, run),
  webhookMap: (run: SvcRun) => read(mapOutputSchema, run),
  webhookRotate: (run: SvcRun) => read(rotateOutputSchema, run),
  storageCopy: (run: SvcRun) => read(storageCopyOutputSchema, run),
  flowList: (run: SvcRun) => read(flowListOutputSchema, run),
  flowShow: (run: SvcRun) => read(flowShowOutputSchema, run),
  flow: (run: SvcRun) => read(flowOutputSchema, run),
  bulk: (run: SvcRun) => read(bulkOutputSchema, run),
  flowHistory: (run: SvcRun) => read(flowHistoryOutputSchema, run),
  flowCancel: (run: SvcRun) => read(flowCancelOutputSchema, run),
  flowPrune: (run: SvcRun) => read(flowPruneOutputSchema, run),
  scheduleList: (run: SvcRun) => read(scheduleListOutputSchema, run),
  scheduleRun: (run: SvcRun) => read(scheduleRunOutputSchema, run),
  notificationList: (run: SvcRun) => read(notificationListOutputSchema, run),
  notificationShow: (run: SvcRun) => read(notificationShowOutputSchema, run),
  notificationRetry: (run: SvcRun) => read(notificationRetryOutputSchema, run),
  taskList: (run: SvcRun) => read(taskListOutputSchema, run),
  taskShow: (run: SvcRun) => read(taskShowOutputSchema, run),
  taskClaim: (run: SvcRun) => read(taskClaimOutputSchema, run),
  taskHeartbeat: (run: SvcRun) => read(taskHeartbeatOutputSchema, run),
  task: (run: SvcRun) => read(taskOutputSchema, run),
  integrate: (run: SvcRun) => read(integrateOutputSchema, run),
  integrations: (run: SvcRun) => read(integrationsOutputSchema, run),
  dreamRun: (run: SvcRun) => read(dreamRunOutputSchema, run),
  dreamStatus: (run: SvcRun) => read(dreamStatusOutputSchema, run),
  dreamList: (run: SvcRun) => read(dreamListOutputSchema, run),
  dreamShow: (run: SvcRun) => read(dreamShowOutputSchema, run),
  dreamCandidates: (run: SvcRun) => read(dreamCandidatesOutputSchema, run),
  dreamExplain: (run: SvcRun) => read(dreamExplainOutputSchema, run),
  dreamSignals: (run: SvcRun) => read(dreamSignalsOutputSchema, run),
  dreamPromote: (run: SvcRun) => read(dreamPromoteOutputSchema, run),
  dreamReject: (run: SvcRun) => read(dreamRejectOutputSchema, run),
  dreamBackfill: (run: SvcRun) => read(dreamBackfillOutputSchema, run),
  dreamUndo: (run: SvcRun) => read(dreamUndoOutputSchema, run),
  dreamSchedule: (run: SvcRun) => read(dreamScheduleOutputSchema, run),
  dreamSwitch: (run: SvcRun) => read(dreamSwitchOutputSchema, run),
  error: (run: SvcRun) => read(errorOutputSchema, run).error,
};
