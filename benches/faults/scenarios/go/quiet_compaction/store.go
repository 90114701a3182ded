package main

import (
	"math/rand"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func main() {
	config := zap.NewDevelopmentConfig()
	config.OutputPaths = []string{"store.log"}
	config.EncoderConfig.EncodeTime = zapcore.ISO8601TimeEncoder
	config.DisableCaller = true
	log, _ := config.Build()
	writer, compactor, expiry := log.Named("writer"), log.Named("compactor"), log.Named("expiry")
	chance := rand.New(rand.NewSource(6))
	log.Info("store opened", zap.Int("tables", 9), zap.Bool("dirty_shutdown", false))
	for round := 1; round <= 50; round++ {
		for n := 0; n < 2; n++ {
			time.Sleep(time.Duration(20+chance.Intn(60)) * time.Millisecond)
			writer.Debug("flush", zap.Int("rows", 800+chance.Intn(700)), zap.Int("errors", 0), zap.Int("queue", chance.Intn(5)))
		}
		if round%6 == 0 {
			compactor.Info("compacting level 1, writers pause", zap.Int("tables", 4))
			time.Sleep(time.Duration(200+chance.Intn(300)) * time.Millisecond)
			compactor.Info("compacted, writers resume", zap.Int("dropped", chance.Intn(900)), zap.Int("failed", 0))
		}
		if round%16 == 0 {
			expiry.Info("tombstones removed", zap.Int("dead", chance.Intn(300)), zap.String("error_rate", "0.000"))
		}
		if round%25 == 0 {
			log.Info("stats", zap.Int("writes", round*2), zap.Int("timeouts", 0), zap.Int("corrupt", 0), zap.Int("retries", 0))
		}
	}
	log.Info("closed cleanly", zap.Int("errors", 0))
	log.Sync()
}
