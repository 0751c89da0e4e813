// SPDX-License-Identifier: MIT
// FunctionSignature: what a function takes and returns, where it has one signature.
#pragma once

#include <tuple>
#include <utility>

namespace trunkline::handlers {

template <class Returned_, class... Arguments_>
struct FunctionSignature {
  using Returned = Returned_;
  using Arguments = std::tuple<Arguments_...>;
};

template <class Returned, class... Arguments>
FunctionSignature<Returned, Arguments...> signature(Returned (*)(Arguments...));
template <class Returned, class... Arguments>
FunctionSignature<Returned, Arguments...> signature(Returned (*)(Arguments...) noexcept);
template <class Type, class Returned, class... Arguments>
FunctionSignature<Returned, Arguments...> signature(Returned (Type::*)(Arguments...));
template <class Type, class Returned, class... Arguments>
FunctionSignature<Returned, Arguments...> signature(Returned (Type::*)(Arguments...) const);
template <class Type, class Returned, class... Arguments>
FunctionSignature<Returned, Arguments...> signature(Returned (Type::*)(Arguments...) noexcept);
template <class Type, class Returned, class... Arguments>
FunctionSignature<Returned, Arguments...> signature(Returned (Type::*)(Arguments...) const noexcept);

/// A function, or an object with one call operator that is no template.
template <class Function>
concept HasSignature = requires(Function function) {
  signature(function);
} || requires {
  signature(&Function::operator());
};

template <HasSignature Function>
auto signature_of() {
  if constexpr (requires(Function function) { signature(function); }) {
    return decltype(signature(std::declval<Function>())){};
  } else {
    return decltype(signature(&Function::operator())){};
  }
}

template <HasSignature Function>
using SignatureOf = decltype(signature_of<Function>());

}  // namespace trunkline::handlers
