/** What the GPUs of an engine do from some moment on. */
export type GpuWork =
  | { readonly kind: "idle" }
  | {
      readonly kind: "step";
      readonly decoding: number;
      /** Share of the step that is prefill, 0 to 1. */
      readonly prefillShare: number;
    };

/** What the GPUs draw from some moment on. */
export interface GpuPower {
  /** In W, one for each GPU that serves. */
  readonly powerW: readonly number[];
  /** The limit holds it down. */
  readonly isCapped: boolean;
  /** How much longer the work takes by that, 1 or more. */
  readonly stretch: number;
}
