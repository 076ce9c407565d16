/** The one function used of a library that ships no types. */
declare module 'fs-native-extensions' {
  /** An exclusive lock of the open file, held until the descriptor is closed; false when another holds it. */
  export function tryLock(fd: number): boolean;
}
