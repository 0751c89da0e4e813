# SPDX-License-Identifier: MIT
@0xd6a1b9f0c3e54821;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("contest::cap");

interface Contest {
  echo @0 (payload :Data, delayUs :UInt32) -> (payload :Data);
  say @1 (msg :Text) -> (msg :Text);
  multiply @2 (a :Int32, b :Int32) -> (pro :Int32);
  findOne @3 (name :Text) -> (person :Person);
  fanOut @4 (payload :Data) -> (payload :Data);
}

struct Person {
  id @0 :Text;
  name @1 :Text;
  email @2 :Text;
  phone @3 :Text;
  city @4 :Text;
  company @5 :Text;
  age @6 :Int32;
}
