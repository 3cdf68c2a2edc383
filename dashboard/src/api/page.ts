/** One page of a list. `next` is the cursor of the next page. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}
