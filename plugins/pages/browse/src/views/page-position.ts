/** Which part of a long list is shown. */
export interface PagePosition {
  /** From 1. */
  readonly page: number;
  readonly offset: number;
  readonly limit: number;
}

const lastPage = 9_999_999;

/** The part that a query asks for; the first where it asks for none that there can be. */
export function positionOf(wanted: string | null, limit: number): PagePosition {
  const page = wanted !== null && /^\d{1,7}$/.test(wanted) ? Math.min(Math.max(1, Number(wanted)), lastPage) : 1;
  return { page, offset: (page - 1) * limit, limit };
}
