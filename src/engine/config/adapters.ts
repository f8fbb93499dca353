/** The embedding adapters there are, by the vendors' usual ids (spec/memory-search §2.1). */
export const ADAPTER_IDS = [
  'bedrock',
  'deepinfra',
  'gemini',
  'github-copilot',
  'lmstudio',
  'local',
  'mistral',
  'ollama',
  'openai',
  'voyage',
] as const;

/** The id of an embedding adapter. */
export type AdapterId = (typeof ADAPTER_IDS)[number];

/** The kinds in which the spec speaks of adapters; each is accepted wherever an id is. */
export const ADAPTER_ALIASES = {
  'cloud-platform': 'bedrock',
  'open-model-host': 'deepinfra',
  'multimodal-vendor': 'gemini',
  'code-assistant': 'github-copilot',
  'european-vendor': 'mistral',
  'local-server': 'ollama',
  'general-vendor': 'openai',
  'retrieval-vendor': 'voyage',
} as const satisfies Readonly<Record<string, AdapterId>>;

/** What the rules across keys need to know of an adapter. */
export interface AdapterTraits {
  /** Can embed images and audio (spec §2.7). */
  readonly multimodal: boolean;
  /** Can ask the vendor for `outputDimensionality`, for some of its models at least; the others ignore it. */
  readonly dimensions: boolean;
  /** Runs on this machine or a self-hosted one: its API key is a placeholder at most (spec §5). */
  readonly selfHosted: boolean;
}

const HOSTED: AdapterTraits = { multimodal: false, dimensions: true, selfHosted: false };
const SELF_HOSTED: AdapterTraits = { multimodal: false, dimensions: false, selfHosted: true };

/** Traits of every adapter. */
export const ADAPTER_TRAITS: Readonly<Record<AdapterId, AdapterTraits>> = {
  bedrock: HOSTED,
  deepinfra: HOSTED,
  gemini: { ...HOSTED, multimodal: true },
  'github-copilot': HOSTED,
  lmstudio: SELF_HOSTED,
  local: SELF_HOSTED,
  mistral: HOSTED,
  ollama: { ...SELF_HOSTED, dimensions: true },
  openai: HOSTED,
  voyage: HOSTED,
};

/** The adapter that a name stands for, either its id or its kind; undefined when there is none. */
export function adapterOf(name: string): AdapterId | undefined {
  if (isAdapterId(name)) return name;
  return isAdapterAlias(name) ? ADAPTER_ALIASES[name] : undefined;
}

/** The adapter's id when the name is a kind, else the name as it is. */
export function canonicalProvider(name: string): string {
  return adapterOf(name) ?? name;
}

function isAdapterId(name: string): name is AdapterId {
  return ADAPTER_IDS.some((id) => id === name);
}

function isAdapterAlias(name: string): name is keyof typeof ADAPTER_ALIASES {
  return Object.hasOwn(ADAPTER_ALIASES, name);
}
