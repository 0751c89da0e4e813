// SPDX-License-Identifier: MIT
namespace cpp contest.thrift

struct Person {
  1: string id
  2: string name
  3: string email
  4: string phone
  5: string city
  6: string company
  7: i32 age
}

service Contest {
  binary Echo(1: binary payload, 2: i32 delayUs)
  string Say(1: string msg)
  i32 Multiply(1: i32 a, 2: i32 b)
  Person FindOne(1: string name)
}
