# SPDX-License-Identifier: MIT
@0xa1d2c3b4e5f60719;

interface Echo {
  say @0 (data :Data, delayUs :UInt32) -> (data :Data);
}
