/** How push services word their errors. Reasons are Apple's where Apple has one. */
export interface WebPushRefusal {
  readonly status: number;
  readonly reason: string;
  /** For the developer who reads the record. */
  readonly why: string;
}

export function refuse(status: number, reason: string, why: string): WebPushRefusal {
  return { status, reason, why };
}
