/** A document's relevance to the query. */
export interface RankedDocument {
  /** Position among the documents of the request. */
  readonly index: number;
  /** Higher is better; the scale depends on the model. */
  readonly score: number;
}

/** What a vendor bills, if it reports that. */
export interface RerankCost {
  readonly tokens?: number | undefined;
  /** Cohere's unit: one query with up to 100 documents. */
  readonly searchUnits?: number | undefined;
}

export interface RerankRequest {
  readonly query: string;
  /** None is blank. */
  readonly documents: readonly string[];
  readonly signal: AbortSignal;
}

export interface RerankAnswer {
  /** In any order; documents may be missing. Checked by the caller. */
  readonly ranked: readonly RankedDocument[];
  readonly cost: RerankCost;
}

/** A model that scores how well documents answer a query. Implemented by the files of adapters/. */
export interface Reranker {
  /** Equal only for rerankers that give the same scores. */
  readonly identity: string;
  /** Whether a score depends on the other documents, so that it only holds for the whole list. */
  readonly listwise: boolean;
  /** Longer documents are cut. */
  readonly maxDocumentChars: number;
  /** @throws VendorFault, or the signal's reason */
  rank(request: RerankRequest): Promise<RerankAnswer>;
  close(): Promise<void>;
}
