import { formatPath } from './config-path.js';
import { type ConfigDocument, parseConfigText } from './document.js';
import type { ConfigFault } from './fault.js';
import type { ConfigInput } from './input.js';
import type { RuleFinding } from './rules/finding.js';
import { applyRules } from './rules/index.js';
import { checkSchema } from './schema-fault.js';

/** A configuration text that was checked in full. */
export interface CheckedConfig {
  readonly document: ConfigDocument;
  /** The data; undefined when there are faults. */
  readonly input: ConfigInput | undefined;
  /** In the order of the text. */
  readonly faults: readonly ConfigFault[];
  /** In the order of the text. */
  readonly warnings: readonly ConfigFault[];
}

/**
 * Checks a configuration text: syntax, repeated keys, schema, rules across keys. Never throws for
 * what the text says. Rules look at what the schema accepts even when other parts have faults, so
 * that everything is reported in one go.
 */
export function checkConfigText(file: string, text: string): CheckedConfig {
  const document = parseConfigText(file, text);
  if (document.syntaxFaults.length > 0) {
    return { document, input: undefined, faults: document.syntaxFaults, warnings: [] };
  }
  const { faults: schemaFaults, accepted } = checkSchema(document);
  const ruleFaults = (accepted === undefined ? [] : applyRules(accepted)).map((finding) =>
    locateFinding(document, finding),
  );
  const faults = [
    ...document.duplicateFaults,
    ...schemaFaults,
    ...ruleFaults.filter((fault) => fault.severity === 'fault'),
  ];
  return {
    document,
    input: faults.length === 0 ? accepted : undefined,
    faults: inTextOrder(faults),
    warnings: inTextOrder(ruleFaults.filter((fault) => fault.severity === 'warning')),
  };
}

function locateFinding(document: ConfigDocument, finding: RuleFinding): ConfigFault {
  const { path, related, ...rest } = finding;
  return {
    ...rest,
    path: formatPath(path),
    location: document.locate(path),
    ...(related === undefined || related.length === 0
      ? {}
      : { related: related.map((place) => document.locate(place)) }),
  };
}

function inTextOrder(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  return faults.toSorted(
    (a, b) => a.location.line - b.location.line || a.location.column - b.location.column,
  );
}
