#include <gtest/gtest.h>

#include <vector>

#include "train/fit/progress_relay.hpp"

namespace alacarte {
namespace {

struct Recorder : TrainingObserver {
  std::vector<double> left;
  void on_progress(const Progress& progress) override { left.push_back(progress.seconds_left); }
};

Progress record(const std::string& fit, Index evaluation, double seconds) {
  Progress progress{fit, "final"};
  progress.evaluation = evaluation;
  progress.seconds = seconds;
  return progress;
}

TrainingPlan two_fits() {
  TrainingPlan plan;
  EvaluationPlan evaluation;
  evaluation.flops = 10;
  plan.fits.push_back({"a", evaluation, 100});
  evaluation.flops = 20;
  plan.fits.push_back({"b", evaluation, 50});
  return plan;
}

TEST(ProgressRelay, WhatCameBeforeTheFirstRecordIsNotAMeasure) {
  const TrainingPlan plan = two_fits();
  Recorder recorder;
  ProgressRelay relay(&recorder, plan);
  relay.on_progress(record("a", 1, 60));  // a minute of reading and preparation
  relay.on_progress(record("a", 2, 60));
  relay.on_progress(record("a", 11, 61));
  relay.on_progress(record("a", 100, 69.9));
  relay.on_progress(record("b", 50, 79.9));
  ASSERT_EQ(recorder.left.size(), 5u);
  EXPECT_LT(recorder.left[0], 0);  // unknown
  EXPECT_LT(recorder.left[1], 0);
  EXPECT_NEAR(recorder.left[2], 18.9, 1e-9);  // 890 + 1000 flops at 100 a second
  EXPECT_NEAR(recorder.left[3], 10, 1e-9);
  EXPECT_EQ(recorder.left[4], 0);
}

TEST(ProgressRelay, NothingTakesLongerThanTheClock) {
  const TrainingPlan plan = two_fits();
  Recorder recorder;
  ProgressRelay relay(&recorder, plan, 12);
  relay.on_progress(record("a", 0, 0));  // steps on rows drawn anew
  relay.on_progress(record("a", 1, 5));
  relay.on_progress(record("a", 11, 6));
  EXPECT_LT(recorder.left[0], 0);
  EXPECT_NEAR(recorder.left[2], 6, 1e-9);  // 18.9 without the clock
  relay.on_progress(record("b", 45, 12.5));
  EXPECT_EQ(recorder.left.back(), 0);
}

TEST(ProgressRelay, ResumedFitsCountFromWhereTheyBegin) {
  const TrainingPlan plan = two_fits();
  Recorder recorder;
  ProgressRelay relay(&recorder, plan);
  relay.on_progress(record("a", 51, 1));
  relay.on_progress(record("a", 61, 2));
  EXPECT_NEAR(recorder.left.back(), 13.9, 1e-9);
  relay.on_progress(record("b", 41, 2.2));
  EXPECT_NEAR(recorder.left.back(), (390 + 180) * 1.2 / 120, 1e-9);
}

}  // namespace
}  // namespace alacarte
