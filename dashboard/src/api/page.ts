/** One page of any list; `next` is the cursor of the following one. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}
