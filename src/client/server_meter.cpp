// SPDX-License-Identifier: MIT
// ServerMeter: the place of a server among those that are judged.
#include "client/server_meter.h"

namespace trunkline::client {

ServerMeter::~ServerMeter() { judge_by(nullptr); }

void ServerMeter::judge_by(balance::OutlierDetector* detector) {
  if (detector == detector_) return;
  if (detector_ != nullptr) detector_->remove(outlier_);
  detector_ = detector;
  outlier_ = {.is_available = outlier_.is_available};
  if (detector_ != nullptr) detector_->add(outlier_);
}

}  // namespace trunkline::client
